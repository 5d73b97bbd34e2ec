/**
 * Parses the HTML of a response into a tree, for selectors. It reads the pages that templates write, without the error
 * correction of browsers for misplaced tags.
 *
 * @module
 */

import { decodeEntities } from "../../base/text/html_entities.ts";

/** An element of a page. */
export interface Element {
  /** The name in lower case, or an empty string for the page itself. */
  readonly tag: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly parent: Element | undefined;
  /** The elements and strings inside the element. */
  readonly nodes: (Element | string)[];
}

const empty: ReadonlySet<string> = new Set(
  "area base br col embed hr img input link meta param source track wbr".split(" "),
);
/** The elements whose content is text, and whether it contains character references. */
const texts: ReadonlyMap<string, boolean> = new Map([
  ["script", false],
  ["style", false],
  ["textarea", true],
  ["title", true],
]);
/** The open elements that the start of another element ends. */
const ended: Readonly<Record<string, readonly string[]>> = {
  li: ["p", "li"],
  dt: ["p", "dt", "dd"],
  dd: ["p", "dt", "dd"],
  option: ["option"],
  optgroup: ["option", "optgroup"],
  td: ["p", "td", "th"],
  th: ["p", "td", "th"],
  tr: ["p", "td", "th", "tr"],
  thead: ["td", "th", "tr"],
  tbody: ["td", "th", "tr", "thead", "tbody"],
  tfoot: ["td", "th", "tr", "thead", "tbody"],
  ...Object.fromEntries(
    "p div ul ol dl table form section article header footer main nav aside h1 h2 h3 h4 h5 h6 pre blockquote fieldset"
      .split(" ").map((tag) => [tag, ["p"]]),
  ),
};

const skipped = /<!--[^]*?(?:-->|$)|<[!?][^>]*>?/y;
const endTag = /<\/([a-z][^\s/>]*)[^>]*>?/iy;
const startTag = /<([a-z][^\s/>]*)((?:[^>"']|"[^"]*"|'[^']*')*)>/iy;
const attribute = /([^\s"'<>/=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'<>=`]+)))?/g;

/** Parses a page. Returns the element that contains its elements. */
export function parseHTML(html: string): Element {
  const root: Element = { tag: "", attributes: new Map(), parent: undefined, nodes: [] };
  let open = root;
  let at = 0;
  const matched = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const match = pattern.exec(html);
    if (match !== null) at = pattern.lastIndex;
    return match;
  };
  while (at < html.length) {
    if (matched(skipped) !== null) continue;
    const end = matched(endTag);
    if (end !== null) {
      open = closed(open, end[1]?.toLowerCase() ?? "");
      continue;
    }
    const start = matched(startTag);
    if (start === null) {
      const next = html.indexOf("<", at + 1);
      open.nodes.push(decodeEntities(html.slice(at, next === -1 ? undefined : next)));
      at = next === -1 ? html.length : next;
      continue;
    }
    const tag = start[1]?.toLowerCase() ?? "";
    while (ended[tag]?.includes(open.tag)) open = open.parent ?? root;
    const element: Element = { tag, attributes: attributesOf(start[2] ?? ""), parent: open, nodes: [] };
    open.nodes.push(element);
    if (empty.has(tag)) continue;
    const hasReferences = texts.get(tag);
    if (hasReferences === undefined) {
      open = element;
      continue;
    }
    const rest = html.slice(at).search(new RegExp(`</${tag}[\\s/>]`, "i"));
    const content = html.slice(at, rest === -1 ? undefined : at + rest);
    element.nodes.push(hasReferences ? decodeEntities(content) : content);
    at += content.length;
  }
  return root;
}

/** Returns the element in which a page continues after an end tag. */
function closed(open: Element, tag: string): Element {
  for (let element: Element | undefined = open; element !== undefined; element = element.parent) {
    if (element.tag === tag && element.parent !== undefined) return element.parent;
  }
  return open;
}

function attributesOf(text: string): Map<string, string> {
  const attributes = new Map<string, string>();
  for (const [, name = "", double, single, bare] of text.matchAll(attribute)) {
    const key = name.toLowerCase();
    if (!attributes.has(key)) attributes.set(key, decodeEntities(double ?? single ?? bare ?? ""));
  }
  return attributes;
}

/** Returns the text inside an element. */
export function textOf(element: Element): string {
  return element.nodes.map((node) => typeof node === "string" ? node : textOf(node)).join("");
}

/** Returns the elements directly inside an element. */
export function childrenOf(element: Element): Element[] {
  return element.nodes.filter((node) => typeof node !== "string");
}
