/**
 * The templates of one directory, read and compiled.
 *
 * @module
 */

import { FrameworkError } from "../base/errors.ts";
import { nearNames } from "../base/near_names.ts";
import type { Compiler } from "./compile.ts";
import { readTemplates, templatePath } from "./directory.ts";
import type { Library, Template } from "./template_parts.ts";

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
