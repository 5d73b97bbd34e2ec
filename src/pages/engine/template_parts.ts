/**
 * The types shared by the modules of the default template engine, and the place of its loader.
 *
 * @module
 */

import type { Links, ViewFunc } from "./engine.ts";

/** Options for loading and compiling templates. */
export interface TemplateOptions {
  /** A path or a `file:` URL. */
  readonly directory: string | URL;
  /** The template file extensions, including the dot. The primary one is first. */
  readonly extensions: readonly string[];
  /** Templates from strings, by name. */
  readonly parsed: ReadonlyMap<string, string>;
  /** Converts a template's source to HTML with tags, for engines with other languages. */
  readonly translate?: ((name: string, source: string) => string) | undefined;
  /** The tag delimiters. */
  readonly delimiters: readonly [string, string];
  /** The functions available in templates, by name. */
  readonly functions: ReadonlyMap<string, ViewFunc>;
  /** The layout that must exist, or an empty string for none. */
  readonly layout: string;
  /** Whether files are checked for changes before every rendering. If so, they may be missing at first. */
  readonly reload: boolean;
}

/** The language of the text around the tags, if it is not HTML. */
export interface SourceLanguage {
  /** Additional template file extensions. */
  readonly alsoReads?: readonly string[];
  /** Converts a template's source to HTML with the same tags. */
  readonly translate?: (name: string, source: string, delimiters: readonly [string, string]) => string;
}

/** The layout settings for a view. */
export interface Wrapping {
  /** The layout's name, or an empty string for none. */
  readonly layout: string;
  /** Whether the template's own choice of layout is overridden. */
  readonly forced: boolean;
}

/** The compiled templates of a directory. */
export interface Templates {
  /** Reads the directory again. */
  read(): void;
  /** Renders a view in its layouts. */
  render(name: string, data: unknown, wrapping: Wrapping, links?: Links): string;
}

/** Loads and compiles the templates in a directory. */
export type OpenTemplates = (options: TemplateOptions) => Templates;

/** The loader of templates, or `undefined` if it has not been loaded. */
export let openTemplates: OpenTemplates | undefined = undefined;

/**
 * Provides the loader to the engines, so that they do not have to import it.
 *
 * @param open The function exported by `open_templates.ts`.
 */
export function provideTemplates(open: OpenTemplates): void {
  openTemplates = open;
}

/** The names of built-in functions that added functions cannot replace. */
export const reservedNames: ReadonlySet<string> = new Set(["body", "include", "layout", "block", "capture"]);

/** A compiled template file. */
export interface Template {
  /** The path relative to the directory, with forward slashes: `pages/user.html`. */
  readonly name: string;
  /** The path for error messages, which includes the directory. */
  readonly file: string;
  /** The source of the file. */
  readonly source: string;
  /** The line in the file for each line of the compiled code. */
  readonly lines: readonly number[];
  /** Whether the template uses `it.body`. In templates written for Eta, this is the view inside a layout. */
  readonly readsBody: boolean;
  /** Writes the template's output to a frame (see frame.ts). This is generated code without types. */
  readonly run: (frame: object, it: unknown) => void;
}

/** Finds templates by name. */
export interface Library {
  /** Returns the template with the given name, or throws if it does not exist. `kind` is used in the error message. */
  find(name: string, kind?: "template" | "layout" | "partial"): Template;
}
