/**
 * Generates `llms.txt`, an index of the documentation for language models, and `llms-full.txt`, which contains all
 * pages. Both are generated from the book and the module documentation. `deno task guide` updates the files, a test checks that they are up to date, and they are published.
 *
 * @module
 */

import { fromFileUrl, join } from "@std/path";
import { type Heading, headingsOf, withNarrowTables } from "../book/markdown.ts";
import { type Page, readBook } from "../book/pages.ts";
import { entries } from "./entries.ts";
import { withLinks } from "./published_links.ts";

const root = fromFileUrl(new URL("../../", import.meta.url));

/** The names of the files, and their folder in the repository. */
export const llmsFolder: string = join(root, "examples");
/** The index. */
export const llmsIndex = "llms.txt";
/** All pages. */
export const llmsFull = "llms-full.txt";

/** A page in `llms-full.txt`. */
interface LlmsPage {
  readonly title: string;
  readonly text: string;
  readonly about?: string;
  /** Whether the index links to the sections of the page. */
  readonly hasParts?: boolean;
}

const summary =
  "fw (`@fw/web`) is a web framework for Deno, published to JSR. Public names are PascalCase, controllers " +
  "are plain classes whose method names are routes, and nothing is decorated or generated. Every link below leads to a " +
  "heading in `llms-full.txt`, which is next to this file. Every error has a code, and " +
  "`deno run jsr:@fw/web/explain CODE` prints its page.";

/** Generates the files, by name. */
export async function llmsFiles(): Promise<Map<string, string>> {
  const groups = await readGroups();
  const full = groups.flatMap(([, group]) => group.map(({ title, text }) => `# ${title}\n\n${text.trim()}\n`)).join(
    "\n",
  );
  const anchors = headingsOf(full);
  const index = [`# fw (@fw/web)\n\n> ${summary}\n`];
  for (const [name, group] of groups) {
    const lines = group.flatMap(({ title, text, about, hasParts }) => {
      const own = anchors.findIndex((heading) => heading.level === 1 && heading.title === title);
      const end = anchors.findIndex((heading, at) => at > own && heading.level === 1);
      const inner = anchors.slice(own + 1, end < 0 ? undefined : end).filter(({ level }) => level === 2);
      const page = `- ${link(anchors[own])}: ${about ?? describe(text.split(/^## /m)[0] ?? "", title)}`;
      const bodies = text.split(/^## /m).slice(1);
      const parts = inner.map((part, at) => `  - ${link(part)}: ${describe(bodies[at] ?? "", part.title)}`);
      return hasParts ? [page, ...parts] : [page];
    });
    index.push(`## ${name}\n\n${lines.join("\n")}\n`);
  }
  return new Map([[llmsIndex, index.join("\n")], [llmsFull, full]]);
}

/** Writes both files to a folder. */
export async function writeLlms(folder: string = llmsFolder): Promise<void> {
  for (const [name, text] of await llmsFiles()) await Deno.writeTextFile(join(folder, name), text);
}

async function readGroups(): Promise<[name: string, group: LlmsPage[]][]> {
  const modules: LlmsPage[] = [];
  for (const [name, file] of entries) modules.push({ title: name, text: moduleText(await readSource(file)) });
  const parts = Map.groupBy(await readBook(), ({ part }) => part);
  const groups = Array.from(parts, ([part, pages]): [string, LlmsPage[]] => [part, pages.map(pageOf)]);
  return [...groups, ["Entry points", modules]];
}

/** The maximum number of search words in the description of a page. */
const mostWords = 6;

/** Returns a page of the book without its title. The words that people search for are part of the description. */
function pageOf({ title, text, file, kind, group, about }: Page): LlmsPage {
  const [, words = ""] = /^Words: ([^]+?)(?:\n\s*\n|\s*$(?![^]))/m.exec(text) ?? [];
  return {
    title,
    text: withNarrowTables(withLinks(text.replace(/^# .*\n/, ""), file)),
    about: `${about} (${words.split(/,\s+/).slice(0, mostWords).join(", ").replaceAll("\n", " ")})`,
    hasParts: kind === "reference" && group !== "Options" && group !== "Tables",
  };
}

function readSource(file: string): Promise<string> {
  return Deno.readTextFile(join(root, file));
}

/** Returns the documentation of a module as Markdown. */
function moduleText(source: string): string {
  const [, comment = ""] = /\/\*\*\n([\s\S]*? \* @module)\n/.exec(source) ?? [];
  const text = comment.replaceAll(/^ \* ?/gm, "").replace("@module", "")
    .replaceAll(/^(#+ )/gm, "#$1").replaceAll(/^@example (.*)$/gm, "## Example: $1")
    .replaceAll(/\{@link(?:code)?\s+([^}\s]+)\s*\}/g, "`$1`");
  return withLinks(text, "mod.ts");
}

function link(heading: Heading | undefined): string {
  if (heading === undefined) throw new Error("Cannot link to a page: it has no heading");
  return `[${heading.title}](./${llmsFull}#${heading.anchor})`;
}

/** Describes a section in one line: its first sentence and the names that it mentions most often. */
function describe(text: string, title: string): string {
  const prose = text.replaceAll(/^```[\s\S]*?^```$/gm, "").split(/\n\s*\n/)
    .map((paragraph) => paragraph.replaceAll(/\s+/g, " ").trim())
    .map((paragraph) => paragraph.replace(/^Examples?: .*?\.(?: |$)/, ""))
    .find((paragraph) => /^[A-Z`@]/.test(paragraph) && paragraph.includes(" ") && paragraph !== title) ?? "";
  const plain = prose.replaceAll(/\[((?:`[^`]*`|[^\]`])+)\]\([^)]*\)/g, "$1");
  const sentence = (/^(.*?[.:])(?: |$)/.exec(plain)?.[1] ?? plain).replace(/[.:]$/, ".");
  const names = namesIn(text).filter((name) => !sentence.includes(name)).slice(0, 6);
  if (sentence === "" && names.length === 0) return "See the sections below.";
  return [sentence, names.map((name) => `\`${name}\``).join(", ")].filter((part) => part !== "").join(" ");
}

/** Returns the public names that a section mentions, such as `ctx.View`, the most frequent ones first. */
function namesIn(text: string): string[] {
  const counts = new Map<string, number>();
  for (const [name] of text.matchAll(/\b[a-z]\w*\.[A-Z]\w+/g)) counts.set(name, (counts.get(name) ?? 0) + 1);
  const common = new Set(["fw.New", "app.Get", "ctx.JSON", "ctx.WriteString", "app.Party"]);
  return [...counts].filter(([name]) => !common.has(name)).sort(([, a], [, b]) => b - a).map(([name]) => name);
}

if (import.meta.main) await writeLlms();
