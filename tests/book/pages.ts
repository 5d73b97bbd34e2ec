/**
 * Reads the pages of the book in `examples/book`. The table of contents in its README defines their order, kinds and
 * groups.
 *
 * @module
 */

import { walk } from "@std/fs/walk";
import { fromFileUrl, join, relative } from "@std/path";

const root = fromFileUrl(new URL("../../", import.meta.url));

/** The folder of the book, relative to the repository. */
export const bookFolder = "examples/book";
/** The table of contents, relative to the repository. */
export const contentsFile: string = `${bookFolder}/README.md`;

/** A line of the table of contents. */
export interface Listed {
  /** The file, relative to the repository. */
  readonly file: string;
  /** The kind of the page, which is its folder: `tutorial`, `howto`, `reference` or `explanation`. */
  readonly kind: string;
  /** The name without folder, number and extension. It is the name of the entry point and of the site's page. */
  readonly name: string;
  readonly title: string;
  /** The heading of the kind in the table of contents. */
  readonly part: string;
  /** The heading above the line in the table of contents. */
  readonly group: string;
  /** The description after the link. */
  readonly about: string;
}

/** A page of the book. */
export interface Page extends Listed {
  /** The Markdown text. */
  readonly text: string;
}

const item = /^- \[([^\]]+)\]\(\.\/([^)\s]+)\): (.+)$/;

/** Reads the lines of a table of contents. */
export function listedIn(contents: string): Listed[] {
  let part = "";
  let group = "";
  const pages: Listed[] = [];
  // A long item continues in indented lines.
  for (const line of contents.replaceAll(/\n {2,}(?=\S)/g, " ").split("\n")) {
    const [, marks, heading = ""] = /^(##+) (.+)$/.exec(line) ?? [];
    if (marks !== undefined) [part, group] = marks === "##" ? [heading, heading] : [part, heading];
    const [, title = "", path = "", about = ""] = item.exec(line) ?? [];
    if (path !== "") pages.push({ ...placeOf(`${bookFolder}/${path}`), title, part, group, about });
  }
  return pages;
}

/** Returns the kind and the name of a page. */
export function placeOf(file: string): { file: string; kind: string; name: string } {
  const [kind = "", base = ""] = file.slice(bookFolder.length + 1).split("/");
  return { file, kind, name: base.replace(/\.md$/, "").replace(/^\d+-/, "") };
}

/** Reads a file of the repository. */
export function readText(file: string): Promise<string> {
  return Deno.readTextFile(join(root, file));
}

/** Reads the pages in the order of the table of contents. */
export async function readBook(): Promise<Page[]> {
  const listed = listedIn(await readText(contentsFile));
  return await Promise.all(listed.map(async (page) => ({ ...page, text: await readText(page.file) })));
}

/** The folders of the pages. */
const kinds = ["tutorial", "howto", "reference", "explanation"];

/** Lists the files of all pages, relative to the repository. */
export async function pageFiles(): Promise<string[]> {
  const files = await Array.fromAsync(walk(join(root, bookFolder), { exts: ["md"], includeDirs: false, maxDepth: 2 }));
  const paths = files.map(({ path }) => relative(root, path).replaceAll("\\", "/"));
  return paths.filter((path) => kinds.includes(placeOf(path).kind)).sort();
}
