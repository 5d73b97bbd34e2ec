/**
 * Generates `llms.txt`: the list of pages for language models.
 *
 * @module
 */

import type { Book } from "./book.ts";

const summary =
  "fw (`@fw/web`) is a web framework for Deno, published to JSR. Public names are PascalCase, controllers " +
  "are plain classes whose method names are routes, and nothing is decorated or generated. Every link below leads to a " +
  "page in Markdown. Every error has a code, and `deno run jsr:@fw/web/explain CODE` prints its page.";

/** The maximum number of search words in the description of a page. */
const mostWords = 7;

/**
 * Lists the pages, one line each.
 *
 * @param book The book.
 * @param addressOf Returns the address of a page's file. Defaults to the file, relative to the root of the site.
 * @returns The list, in Markdown.
 */
export function llmsText(book: Book, addressOf: (file: string) => string = (file) => `./${file}`): string {
  const parts = book.kinds.map(({ title, groups }) => {
    const lines = groups.flatMap(({ pages }) => pages).map(({ title, file, about, text }) => {
      const [, words = ""] = /^Words: ([^]+?)(?:\n\s*\n|\s*$(?![^]))/m.exec(text) ?? [];
      const few = words.split(/,\s+/).slice(0, mostWords).join(", ").replaceAll("\n", " ");
      return `- [${title}](${addressOf(file)}): ${about}${few && ` (${few})`}`;
    });
    return `## ${title}\n\n${lines.join("\n")}\n`;
  });
  return [`# fw (@fw/web)\n\n> ${summary}\n`, ...parts].join("\n");
}
