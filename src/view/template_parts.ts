/**
 * What the parts of the default template engine hand to each other.
 *
 * @module
 */

import type { Links, ViewFunc } from "./engine.ts";

/** What templates are read and compiled by. */
export interface TemplateOptions {
  /** A path or a `file:` URL. */
  readonly directory: string | URL;
  /** The endings of the names of templates, with the dot, the usual one first. */
  readonly extensions: readonly string[];
  /** Templates given as strings, by name. */
  readonly parsed: ReadonlyMap<string, string>;
  /** Turns the source of a template into HTML with tags, for engines of other languages. */
  readonly translate?: ((name: string, source: string) => string) | undefined;
  /** What tags begin and end with. */
  readonly delimiters: readonly [string, string];
  /** What templates may call, by name. */
  readonly functions: ReadonlyMap<string, ViewFunc>;
  /** The layout that must be there; empty for none. */
  readonly layout: string;
  /** Whether files are looked at again before every rendering, so that they may be missing at first. */
  readonly reload: boolean;
}

/** How a view is to be wrapped. */
export interface Wrapping {
  /** The layout's name; empty for none. */
  readonly layout: string;
  /** Whether the template's own wish for a layout is overruled. */
  readonly forced: boolean;
}

/** The templates of one directory, compiled. */
export interface Templates {
  /** Reads the directory again. */
  read(): void;
  /** Renders a view within its layouts. */
  render(name: string, data: unknown, wrapping: Wrapping, links?: Links): string;
}

/** Reads and compiles the templates of a directory. */
export type OpenTemplates = (options: TemplateOptions) => Templates;

/** What the code of a template calls without being added, and what no added function may replace. */
export const reservedNames: ReadonlySet<string> = new Set(["body", "include", "layout", "block", "capture"]);

/** One file of templates, compiled. */
export interface Template {
  /** The path below the directory, with slashes: `pages/user.html`. */
  readonly name: string;
  /** The path for messages: directory and name. */
  readonly file: string;
  /** The text of the file. */
  readonly source: string;
  /** For each line of the compiled code, the line of the file that it came from. */
  readonly lines: readonly number[];
  /** Whether it speaks of `it.body`, by which templates written for Eta name the view inside of a layout. */
  readonly readsBody: boolean;
  /** Writes the template's text into a frame (see frame.ts; it is generated code that knows no types). */
  readonly run: (frame: object, it: unknown) => void;
}

/** Where templates are found by name. */
export interface Library {
  /** Returns the template of that name or throws; `kind` is the word for it in the message. */
  find(name: string, kind?: "template" | "layout" | "partial"): Template;
}
