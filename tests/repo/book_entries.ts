/**
 * Writes the package of the book: an entry point per page that contains only documentation, the pages in Markdown, and
 * their list for language models. `deno doc jsr:@fw/book/routing` prints a page, and JSR shows it. The code has a
 * package of its own, because Deno reads the list of a package's entry points at every start. Its documentation links
 * to the pages.
 *
 * @module
 */

import { dirname, join } from "@std/path";
import config from "../../deno.json" with { type: "json" };
import { withNarrowTables } from "../book/markdown.ts";
import { bookFolder, contentsFile, type Page, readBook, readText } from "../book/pages.ts";
import { buildLlms, llmsFile } from "./llms.ts";
import { bookPackage, withLinks } from "./published_links.ts";

/**
 * Writes the package of the book.
 *
 * @param folder The package folder.
 * @returns The entry points.
 */
export async function writeBook(folder: string): Promise<Record<string, string>> {
  const exports: Record<string, string> = { ".": "./mod.ts" };
  const write = async (path: string, text: string) => {
    await Deno.mkdir(dirname(join(folder, path)), { recursive: true });
    await Deno.writeTextFile(join(folder, path), text);
  };
  for (const page of await readBook()) {
    const path = `./entries/${page.name}.ts`;
    exports[`./${page.name}`] = path;
    await write(path, entryOf(page));
    await write(page.file.slice(bookFolder.length + 1), withoutOutside(page));
  }
  const contents = await readText(contentsFile);
  await write("mod.ts", entryOf({ text: contents, file: contentsFile }));
  await write("README.md", withLinks(contents, contentsFile));
  await write(llmsFile, buildLlms());
  await write("LICENSE", await readText("LICENSE"));
  const { version, license } = config;
  await write("deno.json", JSON.stringify({ name: bookPackage, version, license, exports }, null, 2) + "\n");
  return exports;
}

/** Returns a page whose links to files outside of the book are only text. */
function withoutOutside({ text, file }: Page): string {
  return text.replaceAll(
    /\[((?:`[^`]*`|[^\]`])+)\]\((\.[^)#\s]*)(#[^)\s]*)?\)/g,
    (whole, label: string, path: string) =>
      new URL(path, `file:///${file}`).pathname.startsWith(`/${bookFolder}/`) && path.endsWith(".md") ? whole : label,
  );
}

/**
 * Adds links to the book to the documentation of the entry points and to the README of the code's package.
 *
 * @param folder The package folder.
 */
export async function linkToBook(folder: string): Promise<void> {
  const pages = await readBook();
  for (const [entry, file] of Object.entries(config.exports)) {
    const text = entry === "." ? `In the book: [all pages](./README.md).\n` : linksFor(entry, pages);
    const path = join(folder, file);
    await Deno.writeTextFile(path, withText(await Deno.readTextFile(path), withLinks(text, contentsFile)));
  }
  const readme = join(folder, "README.md");
  await Deno.writeTextFile(readme, withLinks(await Deno.readTextFile(readme), "README.md"));
}

/** Returns the source of a page's entry point. */
export function entryOf({ text, file }: Pick<Page, "text" | "file">): string {
  return `/**\n${commented(withNarrowTables(withLinks(text, file)))} *\n * @module\n */\n\nexport {};\n`;
}

/** The groups of generated pages, which mention all entry points. */
const generated = ["Methods", "Tables", "Options", "Error codes"];
/** The maximum number of pages that the documentation of an entry point links to. */
const mostLinks = 6;

/** Returns links to the pages that mention an entry point most often, the reference first. */
function linksFor(entry: string, pages: readonly Page[]): string {
  const mention = new RegExp(`${RegExp.escape(config.name + entry.slice(1))}(?![\\w/])`, "g");
  const found = pages.filter(({ group }) => !generated.includes(group))
    .map((page) => ({ page, count: page.text.match(mention)?.length ?? 0 }))
    .filter(({ count }) => count > 0).sort((a, b) => rank(b.page) - rank(a.page) || b.count - a.count)
    .slice(0, mostLinks);
  const links = found.map(({ page }) => `[${page.title}](./${page.file.slice(bookFolder.length + 1)})`);
  return links.length === 0 ? "" : `In the book: ${links.join(", ")}.\n`;
}

function rank({ kind }: Page): number {
  return kind === "reference" ? 1 : 0;
}

/** Returns the source of a module with Markdown at the end of its documentation. */
function withText(source: string, text: string): string {
  if (text === "") return source;
  // Text after a tag belongs to the tag.
  const at = /^ \* @/m.exec(source)?.index;
  if (at === undefined) throw new Error("Cannot add links to a module without documentation");
  return `${source.slice(0, at)}${commented(text)} *\n${source.slice(at)}`;
}

/**
 * Returns the lines of a comment. An invisible character precedes `@` at the start of a line, which would begin a tag.
 * In code, `deno doc` hides lines that start with `# `, so they are indented. Throws if the text would end the comment,
 * because readers copy code, and an invisible character would break their programs.
 */
function commented(text: string): string {
  let isCode = false;
  const lines = withLineComments(text.trim()).split("\n").map((line) => {
    if (line.includes("*/")) throw new Error(`Cannot publish a page: "*/" would end its comment: ${line}`);
    if (line.startsWith("```")) isCode = !isCode;
    return isCode ? line.replace(/^# /, " # ") : line.replace(/^(\s*)@/, "$1\u200b@");
  });
  return lines.map((line) => line === "" ? " *\n" : ` * ${line}\n`).join("");
}

/** Turns the block comments in programs into line comments, and those with the name of a style sheet into text. */
function withLineComments(text: string): string {
  return text
    .replaceAll(/^```css\n\/\* (.+) \*\/\n/gm, "`$1`:\n\n```css\n")
    .replaceAll(/^```tsx?\b[^]*?^```$/gm, (code) => code.replaceAll(/^( *)\/\*\*? (.+) \*\/$/gm, "$1// $2"));
}
