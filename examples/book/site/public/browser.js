// The search box, the switch between light and dark, and the buttons that copy code. Pages work without them.

const page = document.documentElement;
const root = new URL("../", import.meta.url);
const box = document.querySelector("#question");
const list = document.querySelector("#hits");
let chosen = -1;
let searching;

/** Searches the pages. The index is loaded once, when the search box is focused. */
async function find(question, most) {
  searching ??= Promise.all([
    import("./search.js"),
    fetch(new URL("assets/search.json", root)).then((response) => response.json()),
  ]);
  const [{ search }, index] = await searching;
  return search(index, question, most);
}

function element(name, text, className = "") {
  const made = document.createElement(name);
  made.textContent = text;
  made.className = className;
  return made;
}

function hitLink({ page, heading }) {
  const link = document.createElement("a");
  link.href = new URL(page.path + (heading === undefined ? "" : `#${heading[0]}`), root);
  link.append(element("span", page.kind, "kind"), element("b", page.title));
  if (heading !== undefined) link.append(element("span", ` › ${heading[1]}`, "heading"));
  link.append(element("small", page.about));
  return link;
}

/** Marks a hit in the list below the search box. */
function choose(at) {
  const links = list.querySelectorAll("a");
  chosen = links.length === 0 ? -1 : (at + links.length) % links.length;
  for (const [each, link] of links.entries()) link.setAttribute("aria-selected", each === chosen);
  links[chosen]?.scrollIntoView({ block: "nearest" });
  box.setAttribute("aria-activedescendant", links[chosen]?.id ?? "");
}

function close() {
  list.hidden = true;
  box.setAttribute("aria-expanded", "false");
  box.removeAttribute("aria-activedescendant");
}

async function showHits() {
  const question = box.value;
  if (question.trim() === "") return close();
  const hits = await find(question, 8);
  if (question !== box.value) return; // the hits of a later question are shown
  list.replaceChildren(...hits.map((hit, at) => {
    return Object.assign(hitLink(hit), { id: `hit-${at}`, role: "option", tabIndex: -1 });
  }));
  if (hits.length === 0) list.append(element("p", "No page contains these words."));
  list.hidden = false;
  box.setAttribute("aria-expanded", "true");
  choose(0);
}

box.addEventListener("focus", () => find("", 0));
box.addEventListener("input", showHits);
box.addEventListener("keydown", (event) => {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step !== undefined) choose(chosen + step);
  else if (event.key === "Escape") close();
  else if (event.key !== "Enter" || list.hidden || chosen < 0) return;
  else list.querySelectorAll("a")[chosen].click();
  event.preventDefault();
});
document.addEventListener("click", ({ target }) => box.form.contains(target) || close());
document.addEventListener("keydown", (event) => {
  const isTyping = /^(?:INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName);
  if (event.key !== "/" || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  box.select();
});

/** Fills the search page and the page for unknown addresses of the static site. */
async function fill(results) {
  const asked = new URLSearchParams(location.search).get("q") ?? results.dataset.question;
  const question = asked ?? location.href.slice(root.href.length).replace(/\.html$|\W/g, " ");
  if (question.trim() === "") return;
  box.value = asked ?? "";
  const hits = await find(question, 20);
  results.append(...hits.map((hit) => {
    const item = document.createElement("li");
    item.append(hitLink(hit));
    return item;
  }));
  if (hits.length === 0) results.before(element("p", "No page contains these words."));
}
const results = document.querySelector("#results:empty");
if (results !== null) fill(results);

// On wide windows, the style shows the menu and the contents even if they are closed. Assistive technology has to know.
for (const [part, width] of [[".menu", "60rem"], [".contents", "96rem"]]) {
  const details = document.querySelector(part);
  const wide = matchMedia(`(min-width: ${width})`);
  const update = () => details === null || (details.open = wide.matches);
  wide.addEventListener("change", update);
  if (wide.matches) update();
}

document.querySelector("#theme").addEventListener("click", () => {
  const { theme } = page.dataset;
  const isDark = theme ? theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
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
    await navigator.clipboard.writeText(figure.querySelector("code").textContent);
    button.textContent = "Copied";
    setTimeout(() => button.textContent = "Copy", 2000);
  });
  figure.append(button);
}
