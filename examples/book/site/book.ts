/**
 * The pages of the book, in the order of its table of contents.
 *
 * @module
 */

import { Lexer, type Token, type Tokens } from "npm:marked@^18";
import { anchorOf, plainText } from "./search.ts";

/** A page. */
export interface Page {
  /** The file, relative to the folder of the book, such as `howto/flash-message.md`. */
  readonly file: string;
  /** The address, relative to the root of the site, such as `howto/flash-message.html`. */
  readonly path: string;
  readonly title: string;
  /** The sentence that describes the page. */
  readonly about: string;
  readonly kind: Kind;
  readonly group: Group;
  /** The text, in Markdown. */
  readonly text: string;
}

/** A heading of the table of contents below a kind, and its pages. */
export interface Group {
  readonly title: string;
  readonly pages: Page[];
}

/** One of the four kinds of pages. */
export interface Kind {
  readonly title: string;
  /** The address of the list of its pages, such as `howto/index.html`. */
  path: string;
  /** The purpose of its pages, in Markdown. */
  about: string;
  readonly groups: Group[];
}

/** The book. */
export interface Book {
  readonly title: string;
  /** The text before the first kind, in Markdown. */
  readonly about: string;
  readonly kinds: readonly Kind[];
  readonly pages: readonly Page[];
  /** The addresses of the headings of the table of contents, by their anchors. */
  readonly anchors: ReadonlyMap<string, string>;
}

/** Reads the table of contents, `README.md`, and the pages it lists. */
export function readBook(folder: URL): Book {
  const kinds: Kind[] = [];
  const pages: Page[] = [];
  let title = "";
  let about = "";
  for (const token of Lexer.lex(Deno.readTextFileSync(new URL("README.md", folder)))) {
    const kind = kinds.at(-1);
    if (isHeading(token)) {
      if (token.depth === 1) title = plainText(token.text);
      else if (token.depth === 2) kinds.push({ title: plainText(token.text), path: "", about: "", groups: [] });
      else kind?.groups.push({ title: plainText(token.text), pages: [] });
    } else if (kind === undefined) about += token.raw;
    else if (token.type !== "list") kind.about += token.raw;
    else {
      if (kind.groups.length === 0) kind.groups.push({ title: "", pages: [] });
      const group = kind.groups.at(-1) as Group;
      for (const { text } of (token as Tokens.List).items) {
        const [, name = "", file = "", line = ""] = /^\[(.+?)\]\(\.\/([\w/-]+\.md)\)(?::\s+([^]*))?/.exec(text) ?? [];
        if (file === "") throw new Error(`Cannot read the table of contents: "${text}" is not a page`);
        const page = {
          file,
          path: `${file.slice(0, -2)}html`,
          title: plainText(name),
          about: sentence(line),
          kind,
          group,
        };
        kind.path ||= `${file.split("/")[0]}/index.html`;
        group.pages.push({ ...page, text: Deno.readTextFileSync(new URL(file, folder)) });
      }
      pages.push(...group.pages);
    }
  }
  const anchors = new Map<string, string>();
  const taken = new Set([anchorOf(title, new Set())]);
  for (const kind of kinds) {
    anchors.set(anchorOf(kind.title, taken), kind.path);
    for (const group of kind.groups.filter((group) => group.title !== "")) {
      anchors.set(anchorOf(group.title, taken), `${kind.path}#${anchorOf(group.title, new Set())}`);
    }
  }
  return { title, about, kinds: kinds.filter(({ path }) => path !== ""), pages, anchors };
}

function isHeading(token: Token): token is Tokens.Heading {
  return token.type === "heading";
}

function sentence(text: string): string {
  const plain = plainText(text).replaceAll("\n", " ").trim();
  return plain === "" ? "" : plain[0]?.toUpperCase() + plain.slice(1);
}
