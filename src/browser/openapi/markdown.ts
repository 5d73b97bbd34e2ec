/**
 * Renders Markdown as elements. Markup and links with other schemes become text.
 *
 * @module
 */

import { make, table } from "./elements.ts";

const inlineMarks = new RegExp(
  [
    "(`+)(.+?)\\1",
    "\\*\\*(.+?)\\*\\*",
    "__(.+?)__",
    "~~(.+?)~~",
    "\\*([^\\s*][^*]*)\\*",
    "\\b_([^_]+)_\\b",
    "!?\\[([^\\]]*)\\]\\(\\s*<?((?:[^()\\s<>]|\\([^()]*\\))*)>?[^)]*\\)",
    "<(https?:[^>\\s]+)>",
    "(\\bhttps?://[^\\s<>\"')]+[^\\s<>\"').,;:!?])",
  ].join("|"),
  "s",
);

function isSafeLink(href: string): boolean {
  try {
    return ["http:", "https:", "mailto:", "tel:"].includes(new URL(href, location.href).protocol);
  } catch {
    return false;
  }
}

/** Creates a link, or text if the URL is not safe. */
export function linkTo(href: string, ...children: readonly (Node | string)[]): HTMLElement {
  return isSafeLink(href) ? make("a", { href, rel: "nofollow noopener" }, ...children) : make("span", ...children);
}

/** Renders a line. */
export function inline(text: string): (Node | string)[] {
  const found = inlineMarks.exec(text);
  if (!found) return text === "" ? [] : [text.replace(/\\([\\`*_{}\[\]()#+.!|<>~-])/g, "$1")];
  const [all, , code, strong, strong2, struck, em, em2, label, href, angle, bare] = found;
  const before = inline(text.slice(0, found.index));
  const after = inline(text.slice(found.index + all.length));
  const bold = strong ?? strong2;
  const slanted = em ?? em2;
  const target = angle ?? bare ?? "";
  const one = code !== undefined
    ? make("code", code.trim())
    : bold
    ? make("strong", ...inline(bold))
    : struck
    ? make("del", ...inline(struck))
    : slanted
    ? make("em", ...inline(slanted))
    : href !== undefined
    ? linkTo(href, ...inline(label || href))
    : linkTo(target, target);
  return [...before, one, ...after];
}

const listItem = /^(\s*)([-*+]|\d{1,9}[.)])\s+(.*)$/;

function listOf(lines: readonly string[]): HTMLElement {
  const [, before = "", mark = ""] = listItem.exec(lines[0] ?? "") ?? [];
  const indent = before.length;
  const items: string[][] = [];
  for (const line of lines) {
    const [, space = "", , text] = listItem.exec(line) ?? [];
    if (text !== undefined && space.length <= indent + 1) items.push([text]);
    else items.at(-1)?.push(line.slice(Math.min(indent + 2, line.search(/\S|$/))));
  }
  return make(
    /\d/.test(mark) ? "ol" : "ul",
    {},
    ...items.map((item) => {
      const blocks = blocksOf(item);
      return make("li", ...(blocks[0]?.tagName === "P" ? [...blocks[0].childNodes, ...blocks.slice(1)] : blocks));
    }),
  );
}

function cellsOf(line: string): string[] {
  return line.trim().replace(/^\||\|$/g, "").split("|").map((cell) => cell.trim());
}

function blocksOf(lines: readonly string[]): HTMLElement[] {
  const blocks: HTMLElement[] = [];
  let at = 0;
  const take = (test: (line: string, count: number) => boolean) => {
    const start = at;
    while (at < lines.length && test(lines[at] ?? "", at - start)) at++;
    return lines.slice(start, at);
  };
  while (at < lines.length) {
    const line = lines[at] ?? "";
    const next = lines[at + 1] ?? "";
    const fence = /^\s{0,3}(`{3,}|~{3,})/.exec(line);
    const heading = /^(#{1,6})\s+(.*?)\s*#*$/.exec(line);
    if (line.trim() === "") at++;
    else if (fence) {
      at++;
      const code = take((each) => !each.trim().startsWith(fence[1] ?? ""));
      at++;
      blocks.push(make("pre", { tabindex: "0" }, code.join("\n")));
    } else if (heading) {
      at++;
      blocks.push(make("h4", ...inline(heading[2] ?? "")));
    } else if (/^\s{0,3}([-*_])(\s*\1){2,}\s*$/.test(line)) {
      at++;
      blocks.push(make("hr"));
    } else if (/^\s{0,3}>/.test(line)) {
      blocks.push(
        make(
          "blockquote",
          ...blocksOf(take((each) => /^\s{0,3}>/.test(each)).map((each) => each.replace(/^\s*>\s?/, ""))),
        ),
      );
    } else if (listItem.test(line)) {
      blocks.push(listOf(take((each, count) => count === 0 || listItem.test(each) || (/^\s{2,}\S/.test(each)))));
    } else if (line.includes("|") && /^[\s|:-]*-[\s|:-]*$/.test(next) && next.includes("|")) {
      const [head = "", , ...rows] = take((each) => each.includes("|"));
      blocks.push(
        table(
          cellsOf(head).map((cell) => make("span", ...inline(cell))),
          rows.map((row) => make("tr", ...cellsOf(row).map((cell) => make("td", ...inline(cell))))),
        ),
      );
    } else {
      const text = take((each, count) =>
        each.trim() !== "" && (count === 0 || !/^\s{0,3}(#{1,6}\s|>|`{3}|~{3})/.test(each) && !listItem.test(each))
      );
      const parts = text.join("\n").split(/(?: {2,}|\\)\n/);
      blocks.push(
        make("p", ...parts.flatMap((part, index) => index === 0 ? inline(part) : [make("br"), ...inline(part)])),
      );
    }
  }
  return blocks;
}

/** Renders Markdown as elements. */
export function markdown(text: string | undefined): HTMLElement {
  return make("div.words", ...(typeof text === "string" ? blocksOf(text.split(/\r?\n/)) : []));
}
