/**
 * The script of the site: the search box, the switch between light and dark, and the buttons that copy code. Pages work
 * without it.
 *
 * @module
 */
/// <reference lib="dom" />

import type { Hit, Index } from "./search.ts";

const page = document.documentElement;
const root = new URL("../", import.meta.url);
const box = document.querySelector<HTMLInputElement>("#question");
const list = document.querySelector<HTMLElement>("#hits");
let chosen = -1;

/** The search, which is loaded once, when the search box is focused. */
let loading: Promise<(question: string, most: number) => Hit[]> | undefined;
async function load(): Promise<(question: string, most: number) => Hit[]> {
  const [{ search }, response] = await Promise.all([import("./search.ts"), fetch(new URL("assets/search.json", root))]);
  const index: Index = await response.json();
  return (question, most) => search(index, question, most);
}
async function find(question: string, most: number): Promise<Hit[]> {
  return (await (loading ??= load()))(question, most);
}

function element(name: string, text: string, className = ""): HTMLElement {
  const made = document.createElement(name);
  made.textContent = text;
  made.className = className;
  return made;
}

function hitLink({ page, heading }: Hit): HTMLAnchorElement {
  const link = document.createElement("a");
  link.href = new URL(page.path + (heading === undefined ? "" : `#${heading[0]}`), root).href;
  link.append(element("span", page.kind, "kind"), element("b", page.title));
  if (heading !== undefined) link.append(element("span", ` › ${heading[1]}`, "heading"));
  link.append(element("small", page.about));
  return link;
}

/** Marks a hit in the list below the search box. */
function choose(at: number): void {
  const links = list?.querySelectorAll("a") ?? [];
  chosen = links.length === 0 ? -1 : (at + links.length) % links.length;
  for (const [each, link] of links.entries()) link.setAttribute("aria-selected", String(each === chosen));
  links[chosen]?.scrollIntoView({ block: "nearest" });
  if (links[chosen] === undefined) box?.removeAttribute("aria-activedescendant");
  else box?.setAttribute("aria-activedescendant", links[chosen]?.id ?? "");
}

function close(): void {
  if (list !== null) list.hidden = true;
  box?.setAttribute("aria-expanded", "false");
}

async function showHits(): Promise<void> {
  if (box === null || list === null) return;
  const question = box.value.trim();
  if (question === "") return close();
  const hits = await find(question, 8);
  if (question !== box.value.trim()) return; // the hits of a later question are shown
  list.replaceChildren(...hits.map((hit, at) => {
    const link = hitLink(hit);
    link.id = `hit-${at}`;
    link.role = "option";
    link.tabIndex = -1;
    return link;
  }));
  if (hits.length === 0) list.append(element("p", "No page contains these words."));
  list.hidden = false;
  box.setAttribute("aria-expanded", "true");
  choose(hits.length === 0 ? -1 : 0);
}

box?.addEventListener("focus", () => void (loading ??= load()));
box?.addEventListener("input", () => void showHits());
box?.addEventListener("keydown", (event) => {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step !== undefined) choose(chosen + step);
  else if (event.key === "Escape") close();
  else if (event.key !== "Enter" || list?.hidden !== false || chosen < 0) return;
  else list.querySelectorAll("a")[chosen]?.click();
  event.preventDefault();
});
document.addEventListener("click", ({ target }) => target instanceof Node && box?.form?.contains(target) || close());
document.addEventListener("keydown", (event) => {
  const isTyping = event.target instanceof HTMLElement && /^(?:INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName);
  if (event.key !== "/" || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  box?.select();
});

// In the static site, the search page and the page for unknown addresses are filled here.
const results = document.querySelector<HTMLElement>("#results:empty");
const question = new URLSearchParams(location.search).get("q") ?? results?.dataset.question ??
  location.pathname.replace(/\.html$|[^\w]/g, " ").trim();
if (results !== null && question !== "") {
  if (box !== null) box.value = new URLSearchParams(location.search).get("q") ?? "";
  for (const hit of await find(question, 20)) {
    const item = document.createElement("li");
    item.append(hitLink(hit));
    results.append(item);
  }
  if (results.childElementCount === 0) results.before(element("p", "No page contains these words."));
}

// On wide windows, the style shows the menu and the contents even if they are closed. Assistive technology has to know.
for (const [part, width] of [[".menu", "60rem"], [".contents", "80rem"]] as const) {
  const details = document.querySelector<HTMLDetailsElement>(part);
  const wide = matchMedia(`(min-width: ${width})`);
  const update = () => details === null || (details.open = wide.matches);
  wide.addEventListener("change", update);
  if (wide.matches) update();
}

document.querySelector("#theme")?.addEventListener("click", () => {
  const isDark = page.dataset.theme === ""
    ? matchMedia("(prefers-color-scheme: dark)").matches
    : page.dataset.theme === "dark";
  page.dataset.theme = isDark ? "light" : "dark";
  try {
    localStorage.setItem("theme", page.dataset.theme);
  } catch {
    // Storage may be disabled. The choice then lasts until the next page.
  }
});

for (const figure of document.querySelectorAll("figure.code")) {
  const button = element("button", "Copy", "copy");
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(figure.querySelector("code")?.textContent ?? "");
    button.textContent = "Copied";
    setTimeout(() => button.textContent = "Copy", 2000);
  });
  figure.append(button);
}
