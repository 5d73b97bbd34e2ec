/**
 * Checks that the options on how-to pages link to the reference, and that the links lead to the right type.
 *
 * @module
 */

import { pageOfEntry } from "./option_pages.ts";
import { anchorOf, type OptionType, optionTypes, ownerOf, typesUsedIn } from "./options.ts";
import { withoutCode } from "./markdown.ts";
import type { Page } from "./pages.ts";

/** Names on how-to pages that are not options there: methods, header fields, and properties of other objects. */
const others: Readonly<Record<string, readonly string[]>> = {
  "cookie-behind-proxy": ["Host"],
  "cors-error": ["Use"],
  "list-routes": ["Allow"],
  "login-with-openid": ["ID"],
  "not-found-page": ["Use"],
  "protect-from-csrf": ["Authorization"],
  "roles": ["Roles", "Use"],
  "split-routes": ["Use"],
  "status-404-405": ["Allow"],
  "stream-model-answer": ["Signal"],
  "store-sessions-in-redis": ["Load"],
  "test-route": ["Headers", "Status", "Text"],
  "tools-for-agents-howto": ["Authorization"],
  "translate-pages": ["Load"],
  "use-jwt": ["Authorization", "ID"],
  "write-middleware": ["Use"],
};

/** Matches code and the link around it. */
const code = /`([^`\n]+)`(?:\]\(([^)\s]*)\))?/g;

/**
 * Lists the options of a how-to page that are not linked at their first mention, and the links that lead to an option
 * of another name, or of a type that the page does not use. An option is mentioned as `MaxAge`, as `MaxAge: 60`, or in
 * an object, as in `cors.New({ MaxAge })`. Code with several options links to their type.
 */
export async function optionLinkProblems({ file, kind, name: page, text }: Page): Promise<string[]> {
  if (kind !== "howto") return [];
  const problems: string[] = [];
  const prose = withoutCode(text);
  const types = await optionTypes();
  const used = await typesUsedIn(text);
  const seen = new Set(others[page]);
  for (const match of prose.matchAll(code)) {
    const [, span = "", link = ""] = match;
    const options = optionsIn(span).filter((option) => types.some((type) => ownerOf(type, option) !== undefined));
    const isFirst = options.length > 0 && !seen.has(options.join());
    seen.add(options.join());
    if (!isFirst && !link.includes("-options.md#")) continue;
    // The call in the code itself says more than the page, and the page says more than the name.
    const right = [await typesUsedIn(span), used, types].map((from) => linksTo(from, options))
      .find((links) => links.size > 0) ?? new Set();
    if (right.has(link)) continue;
    const line = prose.slice(0, match.index).split("\n").length;
    problems.push(`${file}:${line}: \`${span}\` must link to ${[...right].join(" or ") || "one of its options"}`);
  }
  return problems;
}

/** Returns the names of the options that code mentions. */
function optionsIn(span: string): string[] {
  const [, first] = /^([A-Z]\w*)(?::|$)/.exec(span) ?? [];
  const inner = Array.from(span.matchAll(/[{,]\s*([A-Z]\w*)\s*(?=[:,}])/g), ([, name = ""]) => name);
  return first === undefined ? inner : [first];
}

/** Returns the links to an option of any of the types, or to a type that has several options. */
function linksTo(types: Iterable<OptionType>, options: readonly string[]): Set<string> {
  const [option = "", ...more] = options;
  const links = new Set<string>();
  for (const type of types) {
    const owner = ownerOf(type, option);
    if (owner === undefined || more.some((each) => ownerOf(type, each) === undefined)) continue;
    const [target, anchor] = more.length === 0 ? [owner, anchorOf(owner, option)] : [type, anchorOf(type)];
    links.add(`../reference/${pageOfEntry(target.entry.name)}.md#${anchor}`);
  }
  return links;
}
