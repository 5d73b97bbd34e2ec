/**
 * Template sources by name, from files in a folder and from strings.
 *
 * @module
 */

import { nearNames } from "../../base/text/near_names.ts";
import { directoryPath, readTemplates, templatePath } from "./directory.ts";
import { ViewNotFound } from "../engine/engine.ts";

const longestName = 100;
const mostNames = 5;

/** The kind of template to find, used in the error message if it does not exist. */
export type TemplateKind = "template" | "layout" | "partial";

/** The source of a template. */
export interface TemplateSource {
  /** The path relative to the folder, with forward slashes: `pages/user.html`. */
  readonly name: string;
  /** The path for error messages, which includes the folder. */
  readonly file: string;
  readonly source: string;
}

/** The templates in a folder. An entry stays the same object until its source changes. */
export class TemplateFiles {
  readonly #directory: string;
  readonly #extensions: readonly string[];
  readonly #parsed: ReadonlyMap<string, string>;
  #entries: Map<string, TemplateSource> = new Map();

  /**
   * Creates the template list. Call {@linkcode read} to read the files.
   *
   * @param directory The folder, or an empty path for none.
   * @param extensions The file extensions, with the primary one first.
   * @param parsed Templates from strings, by name.
   */
  constructor(directory: string | URL, extensions: readonly string[], parsed: ReadonlyMap<string, string>) {
    this.#directory = directoryPath(directory);
    this.#extensions = extensions;
    this.#parsed = parsed;
  }

  /** Returns the folder, for error messages. */
  get directory(): string {
    return this.#directory;
  }

  /** Reads the folder. */
  read(): void {
    const before = this.#entries;
    const entries = new Map<string, TemplateSource>();
    const files: TemplateSource[] = [];
    for (const [name, source] of this.#sources()) {
      const old = before.get(name);
      const file = templatePath(this.#directory, name);
      const entry = old?.name === name && old.source === source ? old : { name, file, source };
      files.push(entry);
      const extension = this.#extensions.find((each) => name.endsWith(each)) ?? "";
      const short = name.slice(0, name.length - extension.length);
      // If two files differ only in their extension, the one with the primary extension gets the short name.
      if (!entries.has(short) || extension === this.#extensions[0]) entries.set(short, entry);
    }
    // Full names are added last and take precedence, so that "a.html" refers to that file even if there is an
    // "a.html.html".
    for (const entry of files) entries.set(entry.name, entry);
    this.#entries = entries;
  }

  /** Returns all templates, each once. */
  all(): Iterable<TemplateSource> {
    return new Set(this.#entries.values());
  }

  /** Finds a template by name. */
  find(name: string, kind: TemplateKind = "template"): TemplateSource {
    const found = this.#entries.get(name) ?? this.#entries.get(String(name).replace(/^\/+/, ""));
    if (found === undefined) throw this.#missing(String(name), kind);
    return found;
  }

  *#sources(): Iterable<[name: string, source: string]> {
    if (this.#directory !== "") {
      for (const extension of this.#extensions) yield* readTemplates(this.#directory, extension);
    }
    yield* this.#parsed;
  }

  #missing(name: string, kind: TemplateKind): ViewNotFound {
    const [extension = ""] = this.#extensions;
    const clean = name.replace(/^\/+/, "").slice(0, longestName);
    const file = this.#extensions.some((each) => clean.endsWith(each)) ? clean : clean + extension;
    const names = [...new Set([...this.#entries.values()].map((entry) => entry.name))];
    const near = nearNames(file, names);
    const rest = names.length > mostNames ? ` and ${names.length - mostNames} more` : "";
    const state = near.length > 0
      ? `similar names are ${quoted(near)}`
      : names.length > 0
      ? `it holds ${quoted(names.slice(0, mostNames))}${rest}`
      : `it contains no file that ends in "${extension}"`;
    // The name may come from a request. It is written as JSON, so that it cannot forge log lines.
    const message = `Cannot find ${kind} ${JSON.stringify(file)} in "${this.#directory}": ${state}`;
    return new ViewNotFound(message, file, kind === "layout");
  }
}

function quoted(names: readonly string[]): string {
  return names.map((name) => `"${name}"`).join(", ");
}
