/**
 * The templates of a directory: read, compiled and found by name.
 *
 * @module
 */

import { FrameworkError, messageOf } from "../base/errors.ts";
import { fromFileURL, isInside } from "../base/file_path.ts";
import { Compiler } from "./compile.ts";
import type { TemplateOptions, Templates } from "./engine.ts";
import { renderTemplate } from "./frame.ts";
import type { Library, Template } from "./template.ts";
import { nearNames } from "../base/near_names.ts";
import { toJSON } from "../base/json.ts";

/**
 * Reads and compiles the templates of a directory; a broken one is an error with its file, line and text.
 *
 * @param options What they are read and compiled by.
 * @returns The templates.
 */
export function openTemplates(options: TemplateOptions): Templates {
  const { extension, layout, reload } = options;
  const directory = directoryPath(options.directory);
  const functions = new Map([["json", scriptJSON], ...options.functions]);
  const library = new DirectoryLibrary(directory, extension, new Compiler(options.delimiters, functions));
  library.read();
  if (library.isEmpty() && !reload) {
    throw new FrameworkError("FW_VIEW", `Cannot load views of "${directory}": no file there ends in "${extension}"`);
  }
  library.compileAll();
  if (layout !== "" && !reload) library.find(layout, "layout");
  return {
    read: () => library.read(),
    render: (name, data, wrapping, links) => renderTemplate({ library, links }, name, data, wrapping),
  };
}

const longestName = 100;
const mostNames = 5;

/** A file: its text, and the template once it was asked for. */
interface Entry {
  readonly name: string;
  readonly source: string;
  template: Template | undefined;
}

/** The templates of one directory. */
export class DirectoryLibrary implements Library {
  readonly #directory: string;
  readonly #extension: string;
  readonly #compiler: Compiler;
  #entries: Map<string, Entry> = new Map();

  constructor(directory: string, extension: string, compiler: Compiler) {
    this.#directory = directory;
    this.#extension = extension;
    this.#compiler = compiler;
  }

  /** Reads the directory; files whose text is the same stay compiled. */
  read(): void {
    const before = this.#entries;
    const entries = new Map<string, Entry>();
    const files: Entry[] = [];
    for (const [name, source] of readTemplates(this.#directory, this.#extension)) {
      const old = before.get(name);
      const entry = old?.name === name && old.source === source ? old : { name, source, template: undefined };
      files.push(entry);
      entries.set(name.slice(0, -this.#extension.length), entry);
    }
    // Whole names come last and win: "a.html" is that file even beside one named "a.html.html".
    for (const entry of files) entries.set(entry.name, entry);
    this.#entries = entries;
  }

  /** Compiles every template, so that a broken one is known before the first request. */
  compileAll(): void {
    for (const entry of this.#entries.values()) this.#compiled(entry);
  }

  /** Reports whether there is no template at all. */
  isEmpty(): boolean {
    return this.#entries.size === 0;
  }

  find(name: string, kind: "template" | "layout" | "partial" = "template"): Template {
    const entry = this.#entries.get(name) ?? this.#entries.get(String(name).replace(/^\/+/, ""));
    if (entry === undefined) throw this.#missing(String(name), kind);
    return entry.template ?? this.#compiled(entry);
  }

  #compiled(entry: Entry): Template {
    entry.template ??= this.#compiler.compile(templatePath(this.#directory, entry.name), entry.name, entry.source);
    return entry.template;
  }

  #missing(name: string, kind: string): FrameworkError {
    const clean = name.replace(/^\/+/, "").slice(0, longestName);
    const file = clean.endsWith(this.#extension) ? clean : clean + this.#extension;
    const names = [...new Set([...this.#entries.values()].map((entry) => entry.name))];
    const near = nearNames(file, names);
    const rest = names.length > mostNames ? ` and ${names.length - mostNames} more` : "";
    const state = near.length > 0
      ? `near names are ${quoted(near)}`
      : names.length > 0
      ? `it holds ${quoted(names.slice(0, mostNames))}${rest}`
      : `it holds no file that ends in "${this.#extension}"`;
    // The name may come from a request: as JSON it cannot forge lines of the log.
    return new FrameworkError(
      "FW_VIEW",
      `Cannot find ${kind} ${JSON.stringify(file)} in "${this.#directory}": ${state}`,
    );
  }
}

function quoted(names: readonly string[]): string {
  return names.map((name) => `"${name}"`).join(", ");
}

// Reads the template files of a directory.
//
// Templates are found by walking, never by joining a name to a path: a name that came from a request has no way to
// another file, however it is written.

/**
 * Returns the path of a directory given as a path or as a `file:` URL.
 */
export function directoryPath(directory: string | URL): string {
  if (typeof directory === "string" && !directory.startsWith("file:")) return directory;
  return fromFileURL(directory);
}

/**
 * Reads all templates of a directory and the folders in it. Names that begin with a dot are left alone.
 *
 * @returns The text by name, the name being the path below the directory, with slashes.
 */
export function readTemplates(directory: string, extension: string): Map<string, string> {
  const found: [string, string][] = [];
  const root = attempt(directory, () => Deno.realPathSync(directory));
  walk({ directory, root, extension, found }, "", []);
  return new Map(found.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/**
 * Returns the path of a template.
 *
 * @param directory The directory of the templates.
 * @param name The name of the template, with slashes; empty for the directory itself.
 */
export function templatePath(directory: string, name: string): string {
  const path = directory.replace(/(?<=.)[/\\]+$/, "").replace(/^\.[/\\](?=.)/, "");
  return name === "" ? path : path.endsWith("/") ? path + name : `${path}/${name}`;
}

interface Walk {
  readonly directory: string;
  readonly root: string;
  readonly extension: string;
  readonly found: [string, string][];
}

function walk(state: Walk, folder: string, above: readonly string[]): void {
  const path = templatePath(state.directory, folder);
  const real = inside(state, folder);
  // A link to a folder above it would be walked for ever.
  if (above.includes(real)) return;
  for (const entry of attempt(path, () => [...Deno.readDirSync(path)])) {
    if (entry.name.startsWith(".")) continue;
    const name = folder === "" ? entry.name : `${folder}/${entry.name}`;
    const kind = entry.isSymlink ? stat(templatePath(state.directory, name)) : entry;
    if (kind?.isDirectory) walk(state, name, [...above, real]);
    else if (kind?.isFile && name.endsWith(state.extension)) {
      if (entry.isSymlink) inside(state, name);
      read(state, name);
    }
  }
}

/** Returns the real path of a name, refusing links that lead out of the directory. */
function inside(state: Walk, name: string): string {
  const path = templatePath(state.directory, name);
  const real = attempt(path, () => Deno.realPathSync(path));
  if (!isInside(state.root, real)) {
    throw new FrameworkError("FW_VIEW", `Cannot read views of "${path}": it is a link to outside of the directory`);
  }
  return real;
}

/** Returns what a link leads to, or nothing when it leads nowhere. */
function stat(path: string): Deno.FileInfo | undefined {
  return attempt(path, () => unlessGone(() => Deno.statSync(path)));
}

function read(state: Walk, name: string): void {
  const path = templatePath(state.directory, name);
  // Editors save by renaming: a file may be gone between the listing and the reading, and is then simply not there.
  const text = attempt(path, () => unlessGone(() => Deno.readTextFileSync(path)));
  if (text !== undefined) state.found.push([name, text.startsWith("\uFEFF") ? text.slice(1) : text]);
}

function unlessGone<T>(act: () => T): T | undefined {
  try {
    return act();
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

function attempt<T>(path: string, act: () => T): T {
  try {
    return act();
  } catch (error) {
    const reason = error instanceof Deno.errors.NotFound ? "it does not exist" : messageOf(error);
    throw new FrameworkError("FW_VIEW", `Cannot read views of "${path}": ${reason}`, { cause: error });
  }
}

/**
 * Writes a value as JSON for `<script>`: `const user = <%~ json(it.User) %>;`. A bigint is written as a number.
 *
 * @returns JSON without any character that could end the script or open a comment in it.
 */
export function scriptJSON(value: unknown): string {
  return toJSON(value).replaceAll(
    /[<>&\u2028\u2029]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
