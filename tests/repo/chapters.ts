/**
 * The guide as JSR and `deno doc` show it: its chapters become the texts of the entries that they are about, since a
 * reader of the published package has no repository to look into.
 *
 * @module
 */

import { fromFileUrl, join } from "@std/path";
import config from "../../deno.json" with { type: "json" };

/**
 * The address of the repository, such as `https://github.com/OWNER/NAME`. `deno task release` fills it in. While it is
 * empty, published texts name examples and other files of the repository without linking to them.
 */
export const repositoryURL: string = "";

/** Where JSR shows the package. */
const pages = `https://jsr.io/${config.name}/doc`;
const root = fromFileUrl(new URL("../../", import.meta.url));
const guide = "examples/README.md";

/** The documents beside the guide, each of which is a chapter. */
const documents: Readonly<Record<string, string>> = {
  "examples/recipes.md": "Recipes",
  "examples/operations.md": "Running fw in production",
};

/** The chapters that belong to entries of their own; all others belong to the package itself. */
const places: Readonly<Record<string, readonly string[]>> = {
  Controllers: ["./mvc"],
  Dependencies: ["./mvc"],
  Contracts: ["./client", "./openapi"],
  Versions: ["./versioning"],
  Languages: ["./i18n"],
  Views: ["./view"],
  Sessions: ["./sessions"],
  Testing: ["./httptest"],
  Security: ["./middleware/secure"],
  Observability: ["./middleware/metrics"],
  Live: ["./live", "./websocket"],
};

/** A chapter of the guide. */
export interface Chapter {
  readonly title: string;
  /** Its text in Markdown, without its heading. */
  readonly text: string;
  /** The file that it stands in, from the root of the repository. */
  readonly file: string;
  /** The entries whose texts it becomes part of. */
  readonly entries: readonly string[];
}

/** Reads the chapters of the guide and the documents beside it. */
export async function readChapters(): Promise<Chapter[]> {
  const chapters = chaptersOf(await Deno.readTextFile(join(root, guide)));
  for (const [file, title] of Object.entries(documents)) {
    const text = (await Deno.readTextFile(join(root, file))).replace(/^# .*\n/, "").replaceAll(/^##/gm, "###").trim();
    chapters.push({ title, text, file, entries: ["."] });
  }
  return chapters;
}

/**
 * Cuts the guide into chapters. Its reference lists are left out: JSR has every symbol anyway.
 *
 * @param text The text of the guide.
 * @returns The chapters.
 */
function chaptersOf(text: string): Chapter[] {
  const chapters = text.split(/^## /m).slice(1).map((part) => {
    const end = part.indexOf("\n");
    const title = part.slice(0, end).trim();
    return { title, text: part.slice(end + 1).trim(), file: guide, entries: places[title] ?? ["."] };
  }).filter(({ title }) => title !== "Reference");
  const titles = new Set(chapters.map(({ title }) => title));
  const lost = Object.keys(places).filter((title) => !titles.has(title));
  if (lost.length > 0) throw new Error(`Cannot place chapters: the guide does not contain "${lost.join('", "')}"`);
  return chapters;
}

/**
 * Puts the chapters into the texts of the entries of a package, and makes the links of its README lead there.
 *
 * @param folder The folder of the package.
 */
export async function writeChapters(folder: string): Promise<void> {
  const chapters = await readChapters();
  for (const [entry, file] of Object.entries(config.exports)) {
    const own = chapters.filter(({ entries }) => entries.includes(entry));
    if (own.length === 0) continue;
    const path = join(folder, file);
    await Deno.writeTextFile(path, withChapters(await Deno.readTextFile(path), own, chapters));
  }
  const readme = join(folder, "README.md");
  await Deno.writeTextFile(readme, withLinks(await Deno.readTextFile(readme), "README.md", chapters));
}

/** A module with chapters at the end of its text. */
function withChapters(source: string, own: readonly Chapter[], all: readonly Chapter[]): string {
  // Before the examples: what follows a tag belongs to the tag.
  const at = /^ \* @/m.exec(source)?.index;
  if (at === undefined) throw new Error("Cannot add chapters to a module without a text");
  const text = own.map(({ title, text, file }) => `## ${title}\n\n${withLinks(text, file, all)}`).join("\n\n");
  // The end of a comment inside of this one: the escape is shown as nothing.
  const lines = text.replaceAll("*/", "*\u200b/").split("\n").map((line) => line === "" ? " *\n" : ` * ${line}\n`);
  return `${source.slice(0, at)}${lines.join("")} *\n${source.slice(at)}`;
}

/**
 * Makes the links of a text lead to pages on JSR, or to the repository if its address is known.
 *
 * @param text The text in Markdown.
 * @param file The file that it stands in, from the root of the repository.
 * @param chapters The chapters that have pages.
 * @param repository The address of the repository, or an empty string.
 * @returns The text. Links that lead nowhere have become plain text.
 */
export function withLinks(
  text: string,
  file: string,
  chapters: readonly Chapter[],
  repository: string = repositoryURL,
): string {
  return text.replace(
    /\[([^\]]+)\]\((?=[.#])([^)#\s]*)(#[^)\s]*)?\)/g,
    (whole, label: string, path: string, anchor = "") => {
      // README is shown whole, so that links inside of it stay.
      if (path === "" && file === "README.md") return whole;
      const target = path === "" ? file : new URL(path, `file:///${file}`).pathname.slice(1);
      const chapter = chapters.find((each) => each.file === target && (target !== guide || anchorOf(each) === anchor));
      if (target === guide || chapter !== undefined) return `[${label}](${pageOf(chapter)})`;
      if (repository === "") return label;
      return `[${label}](${repository}/blob/v${config.version}/${target}${anchor})`;
    },
  );
}

/** The anchor of a chapter's heading. */
function anchorOf({ title }: Chapter): string {
  return `#${title.toLowerCase().replaceAll(" ", "-")}`;
}

/** The page that shows a chapter. */
function pageOf(chapter: Chapter | undefined): string {
  const [entry = "."] = chapter?.entries ?? [];
  return pages + entry.slice(1);
}
