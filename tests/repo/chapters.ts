/**
 * Copies the guide to the module documentation for JSR and `deno doc`. Each chapter is appended to the documentation of
 * the entry points it describes, because the published package does not include the repository.
 *
 * @module
 */

import { fromFileUrl, join } from "@std/path";
import config from "../../deno.json" with { type: "json" };

/**
 * The repository URL, such as `https://github.com/OWNER/NAME`. Set by `deno task release`. While it is empty, published
 * documentation mentions examples and other files without linking to them.
 */
export const repositoryURL: string = "";

/** The URL of the package on JSR. */
const pages = `https://jsr.io/${config.name}/doc`;
const root = fromFileUrl(new URL("../../", import.meta.url));
const guide = "examples/README.md";

/** Additional documents, with their titles and entry points. Each of them is a chapter. */
const documents: Readonly<Record<string, readonly [title: string, entry: string]>> = {
  "examples/recipes.md": ["Recipes", "."],
  "examples/operations.md": ["Running fw in production", "."],
  "examples/protocol.md": ["The live protocol", "./websocket"],
};

/** The chapters that belong to specific entry points. All others belong to the main entry point. */
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
  Jobs: ["./jobs"],
  Mail: ["./mail"],
  Webhooks: ["./webhooks"],
};

/** A chapter of the guide. */
export interface Chapter {
  readonly title: string;
  /** The Markdown text, without the heading. */
  readonly text: string;
  /** The file that contains the chapter, relative to the repository. */
  readonly file: string;
  /** The entry points whose documentation includes the chapter. */
  readonly entries: readonly string[];
}

/** Reads the chapters of the guide and the additional documents. */
export async function readChapters(): Promise<Chapter[]> {
  const chapters = chaptersOf(await Deno.readTextFile(join(root, guide)));
  for (const [file, [title, entry]] of Object.entries(documents)) {
    const text = (await Deno.readTextFile(join(root, file))).replace(/^# .*\n/, "").replaceAll(/^##/gm, "###").trim();
    chapters.push({ title, text, file, entries: [entry] });
  }
  return chapters;
}

/**
 * Splits the guide into chapters. The reference lists are omitted, because JSR lists every symbol anyway.
 *
 * @param text The Markdown text of the guide.
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
 * Adds the chapters to the module documentation of a package and updates the links in its README.
 *
 * @param folder The package folder.
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

/** Returns a module's source with chapters at the end of its documentation. */
function withChapters(source: string, own: readonly Chapter[], all: readonly Chapter[]): string {
  // Insert the chapters before the examples, because text after a tag belongs to the tag.
  const at = /^ \* @/m.exec(source)?.index;
  if (at === undefined) throw new Error("Cannot add chapters to a module without documentation");
  const text = own.map(({ title, text, file }) => `## ${title}\n\n${withLinks(text, file, all)}`).join("\n\n");
  // Escape the end of a comment inside the text. The escape character is invisible.
  const lines = text.replaceAll("*/", "*\u200b/").split("\n").map((line) => line === "" ? " *\n" : ` * ${line}\n`);
  return `${source.slice(0, at)}${lines.join("")} *\n${source.slice(at)}`;
}

/**
 * Rewrites the links in a document so that they lead to JSR, or to the repository if its URL is known.
 *
 * @param text The Markdown text.
 * @param file The file that contains the text, relative to the repository.
 * @param chapters The chapters that have pages.
 * @param repository The repository URL, or an empty string.
 * @returns The text. Links without a target have become plain text.
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
      // The README is published as a whole, so links within it are kept.
      if (path === "" && file === "README.md") return whole;
      const target = path === "" ? file : new URL(path, `file:///${file}`).pathname.slice(1);
      const chapter = chapters.find((each) => each.file === target && (target !== guide || anchorOf(each) === anchor));
      if (target === guide || chapter !== undefined) return `[${label}](${pageOf(chapter)})`;
      if (repository === "") return label;
      return `[${label}](${repository}/blob/v${config.version}/${target}${anchor})`;
    },
  );
}

/** Returns the anchor of a chapter's heading. */
function anchorOf({ title }: Chapter): string {
  return `#${title.toLowerCase().replaceAll(" ", "-")}`;
}

/** Returns the URL of the page that shows a chapter. */
function pageOf(chapter: Chapter | undefined): string {
  const [entry = "."] = chapter?.entries ?? [];
  return pages + entry.slice(1);
}
