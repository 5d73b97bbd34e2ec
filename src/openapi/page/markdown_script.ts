/**
 * Renders Markdown as DOM elements rather than HTML source, so that a description cannot inject markup.
 *
 * @module
 */

/** The script that renders Markdown. */
export const markdownScript: string = String.raw`
const inlineMarks = new RegExp([
  "(\x60+)(.+?)\\1", "\\*\\*(.+?)\\*\\*", "__(.+?)__", "~~(.+?)~~", "\\*([^\\s*][^*]*)\\*", "\\b_([^_]+)_\\b",
  "!?\\[([^\\]]*)\\]\\(\\s*<?((?:[^()\\s<>]|\\([^()]*\\))*)>?[^)]*\\)", "<(https?:[^>\\s]+)>", "(\\bhttps?://[^\\s<>\"')]+[^\\s<>\"').,;:!?])",
].join("|"), "s");

function isSafeLink(href) {
  try {
    return ["http:", "https:", "mailto:", "tel:"].includes(new URL(href, location.href).protocol);
  } catch {
    return false;
  }
}

function linkTo(href, ...children) {
  return isSafeLink(href) ? make("a", { href, rel: "nofollow noopener" }, ...children) : make("span", {}, ...children);
}

function inline(text) {
  const found = inlineMarks.exec(text);
  if (!found) return text === "" ? [] : [text.replace(/\\([\\\x60*_{}\[\]()#+.!|<>~-])/g, "$1")];
  const [all, , code, strong, strong2, struck, em, em2, label, href, angle, bare] = found;
  const before = inline(text.slice(0, found.index));
  const after = inline(text.slice(found.index + all.length));
  const one = code !== undefined ? make("code", {}, code.trim())
    : strong ?? strong2 ? make("strong", {}, ...inline(strong ?? strong2))
    : struck ? make("del", {}, ...inline(struck))
    : em ?? em2 ? make("em", {}, ...inline(em ?? em2))
    : href !== undefined ? linkTo(href, ...inline(label || href))
    : linkTo(angle ?? bare, angle ?? bare);
  return [...before, one, ...after];
}

const listItem = /^(\s*)([-*+]|\d{1,9}[.)])\s+(.*)$/;

function listOf(lines) {
  const ordered = /\d/.test(listItem.exec(lines[0])[2]);
  const indent = listItem.exec(lines[0])[1].length;
  const items = [];
  for (const line of lines) {
    const found = listItem.exec(line);
    if (found && found[1].length <= indent + 1) items.push([found[3]]);
    else items.at(-1).push(line.slice(Math.min(indent + 2, line.search(/\S|$/))));
  }
  return make(ordered ? "ol" : "ul", {}, ...items.map((item) => {
    const blocks = blocksOf(item);
    return make("li", {}, ...(blocks[0]?.tagName === "P" ? [...blocks[0].childNodes, ...blocks.slice(1)] : blocks));
  }));
}

function cellsOf(line) {
  return line.trim().replace(/^\||\|$/g, "").split("|").map((cell) => cell.trim());
}

function blocksOf(lines) {
  const blocks = [];
  let at = 0;
  const take = (test) => {
    const start = at;
    while (at < lines.length && test(lines[at], at - start)) at++;
    return lines.slice(start, at);
  };
  while (at < lines.length) {
    const line = lines[at];
    const fence = /^\s{0,3}(\x60{3,}|~{3,})/.exec(line);
    const heading = /^(#{1,6})\s+(.*?)\s*#*$/.exec(line);
    if (line.trim() === "") at++;
    else if (fence) {
      at++;
      const code = take((each) => !each.trim().startsWith(fence[1]));
      at++;
      blocks.push(make("pre", { tabindex: "0" }, code.join("\n")));
    } else if (heading) {
      at++;
      blocks.push(make("h4", {}, ...inline(heading[2])));
    } else if (/^\s{0,3}([-*_])(\s*\1){2,}\s*$/.test(line)) {
      at++;
      blocks.push(make("hr"));
    } else if (/^\s{0,3}>/.test(line)) {
      blocks.push(make("blockquote", {}, ...blocksOf(take((each) => /^\s{0,3}>/.test(each)).map((each) => each.replace(/^\s*>\s?/, "")))));
    } else if (listItem.test(line)) {
      blocks.push(listOf(take((each, count) => count === 0 || listItem.test(each) || (/^\s{2,}\S/.test(each)))));
    } else if (line.includes("|") && /^[\s|:-]*-[\s|:-]*$/.test(lines[at + 1] ?? "") && lines[at + 1].includes("|")) {
      const [head, , ...rows] = take((each) => each.includes("|"));
      blocks.push(table(cellsOf(head).map((cell) => make("span", {}, ...inline(cell))),
        rows.map((row) => make("tr", {}, ...cellsOf(row).map((cell) => make("td", {}, ...inline(cell)))))));
    } else {
      const text = take((each, count) => each.trim() !== "" && (count === 0 || !/^\s{0,3}(#{1,6}\s|>|\x60{3}|~{3})/.test(each) && !listItem.test(each)));
      const parts = text.join("\n").split(/(?: {2,}|\\)\n/);
      blocks.push(make("p", {}, ...parts.flatMap((part, index) => index === 0 ? inline(part) : [make("br"), ...inline(part)])));
    }
  }
  return blocks;
}

function markdown(text) {
  return make("div", { class: "words" }, ...(typeof text === "string" ? blocksOf(text.split(/\r?\n/)) : []));
}
`;
