/**
 * Writes the pages of the book to a package: an entry point per page that contains only documentation, and an index in
 * the documentation of the main entry point. `deno doc jsr:@fw/web/book/routing` prints a page, and JSR shows it.
 *
 * @module
 */

import { join } from "@std/path";
import config from "../../deno.json" with { type: "json" };
import { contentsFile, type Page, readBook, readText } from "../book/pages.ts";
import { withLinks } from "./published_links.ts";

/** The folder of the pages in the package. */
export const entriesFolder = "book";

/**
 * Writes the pages of the book, the index and the links of the README.
 *
 * @param folder The package folder.
 * @returns The entry points of the pages.
 */
export async function writeBook(folder: string): Promise<Record<string, string>> {
  await Deno.mkdir(join(folder, entriesFolder), { recursive: true });
  const exports: Record<string, string> = {};
  for (const page of await readBook()) {
    const path = `./${entriesFolder}/${page.name}`;
    exports[path] = `${path}.ts`;
    await Deno.writeTextFile(join(folder, `${path}.ts`), entryOf(page));
  }
  const main = join(folder, config.exports["."]);
  await Deno.writeTextFile(main, withIndex(await Deno.readTextFile(main), await readText(contentsFile)));
  const readme = join(folder, "README.md");
  await Deno.writeTextFile(readme, withLinks(await Deno.readTextFile(readme), "README.md"));
  return exports;
}

/** Returns the source of a page's entry point. */
export function entryOf({ text, file }: Pick<Page, "text" | "file">): string {
  return `/**\n${commented(withLinks(text, file))} *\n * @module\n */\n\nexport {};\n`;
}

/** Returns the source of the main entry point with the table of contents at the end of its documentation. */
function withIndex(source: string, contents: string): string {
  // Text after a tag belongs to the tag.
  const at = /^ \* @/m.exec(source)?.index;
  if (at === undefined) throw new Error("Cannot add the table of contents to a module without documentation");
  const lists = contents.slice(contents.indexOf("\n## ") + 1);
  return `${source.slice(0, at)}${commented(withLinks(lists, contentsFile))} *\n${source.slice(at)}`;
}

/**
 * Returns the lines of a comment. An invisible character separates the parts of `*` and `/`, which would end the
 * comment, and precedes `@` at the start of a line, which would begin a tag.
 */
function commented(text: string): string {
  const lines = text.trim().replaceAll("*/", "*\u200b/").replaceAll(/^(\s*)@/gm, "$1\u200b@").split("\n");
  return lines.map((line) => line === "" ? " *\n" : ` * ${line}\n`).join("");
}
