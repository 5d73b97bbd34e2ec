/**
 * Generates `llms.txt`: the list of pages for language models.
 *
 * @module
 */

import type { Book, Page } from "./book.ts";
import { anchorOf, plainText } from "./search.ts";

const summary =
  "fw (`@fw/web`) is a web framework for Deno, published to JSR. Public names are PascalCase, controllers are plain " +
  "classes whose method names are routes, and nothing is decorated or generated. Every link below leads to a page in " +
  "Markdown. Every error has a code, and `deno run jsr:@fw/web/explain CODE` prints its page.";

/** The maximum number of search words in the description of a page. */
const mostWords = 7;

/**
 * Lists the pages, one line each, and the entry points and error codes below their pages.
 *
 * @param book The book.
 * @returns The list, in Markdown. Its links are relative to the folder of the book.
 */
export function llmsText({ kinds }: Book): string {
  const parts = kinds.map(({ title, groups }) => {
    const lines = groups.flatMap(({ pages }) => pages).flatMap((page) => [lineOf(page), ...partsOf(page)]);
    return `## ${title}\n\n${lines.join("\n")}\n`;
  });
  return [`# fw (@fw/web)\n\n> ${summary}\n`, ...parts].join("\n");
}

function lineOf({ title, file, about, text }: Page): string {
  const [, words = ""] = /^Words: ([^]+?)(?:\n\s*\n|\s*$(?![^]))/m.exec(text) ?? [];
  const few = words.split(/,\s+/).slice(0, mostWords).join(", ").replaceAll("\n", " ");
  return `- [${title}](./${file}): ${about}${few && ` (${few})`}`;
}

/** Lists the entry points and error codes on a page. */
function partsOf({ text, file }: Page): string[] {
  const anchors = new Set<string>();
  return text.split(/^## /m).slice(1).flatMap((section) => {
    const [heading = "", ...rest] = section.split("\n");
    const anchor = anchorOf(heading, anchors);
    if (!/^(?:@fw\/|FW_)/.test(heading)) return [];
    const prose = rest.join("\n").replaceAll(/^```[^]*?^```$/gm, "").replaceAll(/\s+/g, " ").trim();
    const about = plainText(/^(.*?[.:])(?: |$)/.exec(prose)?.[1] ?? prose);
    return [`  - [${heading}](./${file}#${anchor}): ${about}`];
  });
}
