/**
 * What the parts of the default engine hand to each other.
 *
 * @module
 */

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
