/**
 * The guide as JSR and `deno doc` show it: its chapters become the texts of the entries that they are about, since a
 * reader of the published package has no repository to look into.
 *
 * @module
 */

import { join } from "@std/path";
import config from "../../deno.json" with { type: "json" };

/** Where the repository is, for links to examples; empty until a release fills it in, and such links are left out. */
export const repositoryURL = "";

/** Where JSR shows the package. */
const pages = `https://jsr.io/${config.name}/doc`;

/** The chapters that belong to entries of their own; all others belong to the package itself. */
const places: Readonly<Record<string, readonly string[]>> = {
  Controllers: ["./mvc"],
  Dependencies: ["./mvc"],
  Contracts: ["./client", "./openapi"],
  Views: ["./view"],
  Sessions: ["./sessions"],
  Testing: ["./httptest"],
  Security: ["./middleware/secure"],
  Sight: ["./middleware/metrics"],
};

/** A chapter of the guide. */
export interface Chapter {
  readonly title: string;
  /** Its text in Markdown, without its heading. */
  readonly text: string;
  /** The entries whose texts it becomes part of. */
  readonly entries: readonly string[];
}

/**
 * Cuts the guide into chapters. Its reference lists are left out: JSR has every symbol anyway.
 *
 * @param guide The text of the guide.
 * @returns The chapters.
 */
export function chaptersOf(guide: string): Chapter[] {
  return guide.split(/^## /m).slice(1).map((part) => {
    const end = part.indexOf("\n");
    const title = part.slice(0, end).trim();
    return { title, text: part.slice(end + 1).trim(), entries: places[title] ?? ["."] };
  }).filter(({ title }) => title !== "Reference");
}

/**
 * Puts the chapters into the texts of the entries of a package, and makes the links of its README lead there.
 *
 * @param folder The folder of the package.
 * @param guide The text of the guide.
 */
export async function writeChapters(folder: string, guide: string): Promise<void> {
  const chapters = chaptersOf(guide);
  for (const [entry, file] of Object.entries(config.exports)) {
    const own = chapters.filter(({ entries }) => entries.includes(entry));
    if (own.length === 0) continue;
    const path = join(folder, file);
    await Deno.writeTextFile(path, withChapters(await Deno.readTextFile(path), own, chapters));
  }
  const readme = join(folder, "README.md");
  await Deno.writeTextFile(readme, withLinks(await Deno.readTextFile(readme), chapters));
}

/** A module with chapters at the end of its text. */
function withChapters(source: string, own: readonly Chapter[], all: readonly Chapter[]): string {
  // Before the examples: what follows a tag belongs to the tag.
  const at = /^ \* @/m.exec(source)?.index;
  if (at === undefined) throw new Error("Cannot add chapters to a module without a text");
  const text = own.map(({ title, text }) => `## ${title}\n\n${withLinks(text, all)}`).join("\n\n");
  // The end of a comment inside of this one: the escape is shown as nothing.
  const lines = text.replaceAll("*/", "*\u200b/").split("\n").map((line) => line === "" ? " *\n" : ` * ${line}\n`);
  return `${source.slice(0, at)}${lines.join("")} *\n${source.slice(at)}`;
}

/** A text whose links lead to pages on JSR, or to the repository if its address is known. */
function withLinks(text: string, chapters: readonly Chapter[]): string {
  return text.replace(
    /\[([^\]]+)\]\(((?:\.[^)#\s]*)?)(#[^)\s]*)?\)/g,
    (whole, label: string, file: string, anchor = "") => {
      if (file === "" && anchor === "") return whole;
      const isGuide = file === "" || file.endsWith("examples/README.md");
      const chapter = chapters.find(({ title }) => `#${title.toLowerCase().replaceAll(" ", "-")}` === anchor);
      if (isGuide) return `[${label}](${pageOf(chapter)})`;
      return repositoryURL === "" ? label : `[${label}](${new URL(file, `${repositoryURL}/examples/`).href}${anchor})`;
    },
  );
}

/** The page that shows a chapter. */
function pageOf(chapter: Chapter | undefined): string {
  const [entry = "."] = chapter?.entries ?? [];
  return pages + entry.slice(1);
}
