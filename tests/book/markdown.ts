/**
 * Finds headings, links and code blocks in Markdown.
 *
 * @module
 */

const fence = /^(`{3,})([^\n]*)\n([^]*?)^\1$/gm;

/** A heading of a Markdown document. */
export interface Heading {
  readonly level: number;
  readonly title: string;
  /** The anchor, as on GitHub. */
  readonly anchor: string;
}

/** Lists the headings of a document, except for those in code blocks. */
export function headingsOf(text: string): Heading[] {
  const uses = new Map<string, number>();
  return Array.from(withoutCode(text).matchAll(/^(#+) (.+)$/gm), ([, marks = "", title = ""]) => {
    const slug = title.toLowerCase().replaceAll(/[^\p{L}\p{N} _-]/gu, "").replaceAll(" ", "-");
    const count = uses.get(slug) ?? 0;
    uses.set(slug, count + 1);
    return { level: marks.length, title, anchor: count === 0 ? slug : `${slug}-${count}` };
  });
}

/** Returns a document whose code blocks are empty lines, so that line numbers stay the same. */
export function withoutCode(text: string): string {
  return text.replaceAll(fence, (block) => block.replaceAll(/[^\n]/g, ""));
}

/** A link to another file or heading of the repository. */
export interface Link {
  /** The path, relative to the document. It is empty for links within the document. */
  readonly path: string;
  /** The anchor without `#`, or an empty string. */
  readonly anchor: string;
  readonly line: number;
}

/** Lists the links of a document that do not lead to another host. */
export function linksOf(text: string): Link[] {
  const prose = withoutCode(text).replaceAll(/`[^`\n]*`/g, (code) => " ".repeat(code.length));
  return Array.from(prose.matchAll(/\]\((?![a-z]+:)([^)#\s]*)(?:#([^)\s]*))?\)/g), (match) => {
    const [, path = "", anchor = ""] = match;
    return { path, anchor, line: prose.slice(0, match.index).split("\n").length };
  });
}

/** A code block. */
export interface Block {
  /** The words after the fence, such as `ts ignore`. */
  readonly info: string;
  readonly code: string;
  /** The line of the fence. The first line of the code is the next one. */
  readonly line: number;
}

/** Lists the code blocks of a document. */
export function blocksOf(text: string): Block[] {
  return Array.from(text.matchAll(fence), ({ 2: info = "", 3: code = "", index }) => {
    return { info: info.trim(), code, line: text.slice(0, index).split("\n").length };
  });
}

/** Returns a document whose tables are not padded, which `deno fmt` does for people. */
export function withNarrowTables(text: string): string {
  return text.replaceAll(/^\|.*\|$/gm, (row) => row.replaceAll(/ {2,}/g, " ").replaceAll(/-{4,}/g, "---"));
}
