/**
 * Access to the site of the book. The examples are a separate workspace member with their own compiler options, so they
 * are imported at run time.
 *
 * @module
 */

import type * as fw from "../../mod.ts";
import type { Book } from "../../examples/book/site/book.ts";
import type { Entry, Hit, Index } from "../../examples/book/site/search.ts";

const site = new URL("../../examples/book/site/", import.meta.url);
const [main, { buildSite }, { readBook }, searching] = await Promise.all(
  ["main.ts", "build.ts", "book.ts", "search.ts"].map((name) => import(new URL(name, site).href)),
);

/** The folder of the book. */
export const book: URL = new URL("../", site);

/** Creates the site without log lines. */
export function newSite(
  setup: { Folder?: URL; Site?: string; Source?: string; Reload?: boolean } = {},
): fw.Application {
  const app: fw.Application = main.newApp(setup);
  app.Logger().SetLevel("disable");
  return app;
}

/** Writes a site as files. */
export function writeSite(app: fw.Application, folder: string): Promise<void> {
  return buildSite(app, new URL("public/", site), folder);
}

/** Reads a book. */
export function read(folder: URL = book): Book {
  return readBook(folder);
}

/** Builds an index. */
export function indexOf(entries: readonly Entry[]): Index {
  return searching.buildIndex(entries);
}

/** Builds the index of a book, as its site does. */
export function indexOfBook({ pages }: Book): Index {
  return indexOf(pages.map(({ path, title, kind, about, text }) => ({ path, title, kind: kind.title, about, text })));
}

/** Searches an index. */
export function find(index: Index, question: string): Hit[] {
  return searching.search(index, question);
}

/**
 * Creates an entry for a page that is only known as a string, such as the output of `deno doc`.
 *
 * @param name The name of the page.
 * @param text The page. Escape sequences of terminals are removed.
 */
export function entryOfText(name: string, text: string): Entry {
  // deno-lint-ignore no-control-regex -- terminals use control characters
  const plain = text.replace(/\x1b\[[\d;]*m/g, "").replace(/^Defined in .*\n/gm, "").replace(/^ {2}/gm, "");
  const title = /^\s*# (.+)$/m.exec(plain)?.[1] ?? name.replaceAll("-", " ");
  const about = /^(?!\s*(?:#|```))\s*(\S.*(?:\n\S.*)*)/m.exec(plain)?.[1] ?? "";
  // A program with a test is the mark of a how-to page, which the name of an entry point does not show.
  const path = /^\/\/ main_test\.ts$/m.test(plain) ? `howto/${name}` : name;
  return { path, title, kind: "", about: about.split(/(?<=\.)\s/)[0] ?? "", text: plain };
}

/** Returns the name of a page: `first-page` for `tutorial/01-first-page.md`. */
export function nameOf(path: string): string {
  return path.replace(/^.*\/(?:\d+-)?|\.\w+$/g, "");
}
