/**
 * Reads the documentation of all entry points from `deno doc --json`.
 *
 * @module
 */

import { fromFileUrl, join, toFileUrl } from "@std/path";
import { entries } from "../repo/entries.ts";

const root = fromFileUrl(new URL("../../", import.meta.url));

/** A documented name. */
export interface Documented {
  readonly name: string;
  readonly jsDoc?: {
    readonly doc?: string;
    readonly tags?: readonly { readonly kind: string; readonly value?: string }[];
  };
}

/** A property of an interface. */
export interface Property extends Documented {
  readonly optional: boolean;
  readonly location: { readonly filename: string; readonly line: number };
}

/** A method of an interface or, with `functionDef`, of a class. */
export interface Method extends Documented {
  readonly params?: readonly unknown[];
  readonly functionDef?: { readonly params: readonly unknown[] };
}

/** A declaration of a symbol. */
export interface Declaration extends Documented {
  readonly kind: string;
  readonly location: { readonly filename: string };
  readonly def?: {
    /** The parameters of a function. */
    readonly params?: readonly unknown[];
    readonly constructors?: readonly { readonly params: readonly unknown[] }[];
    readonly methods?: readonly Method[];
    readonly properties?: readonly Property[];
    readonly extends?: readonly { readonly repr?: string }[];
    readonly elements?: readonly Symbol[];
  };
}

/** A published symbol. */
export interface Symbol extends Documented {
  readonly declarations: readonly Declaration[];
}

/** An entry point with its symbols. */
export interface Entry {
  /** The import specifier, such as `@fw/web/sessions`. */
  readonly name: string;
  /** The file, relative to the repository. */
  readonly file: string;
  /** The module documentation, without its tags. */
  readonly doc: string;
  /** The examples of the module documentation. */
  readonly examples: readonly string[];
  readonly symbols: readonly Symbol[];
}

let read: Promise<readonly Entry[]> | undefined = undefined;

/** Reads the entry points, once. */
export function readEntries(): Promise<readonly Entry[]> {
  return read ??= readAll();
}

async function readAll(): Promise<readonly Entry[]> {
  const args = ["doc", "--json", ...entries.map(([, file]) => file)];
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), { args, cwd: root }).output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
  const { nodes } = JSON.parse(new TextDecoder().decode(stdout));
  return entries.map(([name, file]) => {
    const { module_doc: module, symbols } = nodes[toFileUrl(join(root, file)).href];
    const examples = module.tags.filter((tag: { kind: string }) => tag.kind === "example");
    return { name, file, doc: module.doc ?? "", examples: examples.map((tag: { doc: string }) => tag.doc), symbols };
  });
}

/** Returns the name of an entry point in programs: `fw` for `@fw/web`, and `cors` for `@fw/web/middleware/cors`. */
export function namespaceOf(entry: string): string {
  return entry === "@fw/web" ? "fw" : entry.split("/").at(-1) ?? "";
}

/** Returns the first sentence of a comment, without its period. */
export function firstSentence(doc = ""): string {
  const [paragraph = ""] = doc.trim().split(/\n\s*\n/, 1);
  const line = inOneLine(paragraph);
  return /^(.*?[.:])(?: |$)/.exec(line)?.[1]?.replace(/[.:]$/, "") ?? line;
}

/** Returns a comment as one line of Markdown. */
export function inOneLine(doc: string): string {
  return doc.trim().replace(/\s+/g, " ").replace(/\{@link(?:code)?\s+([\w.]+)\s*\}/g, "`$1`");
}

/** Returns a table. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}
