/**
 * A feature of a new application, with its additions to the common files and its own files.
 *
 * @module
 */

/** The import map entry for `deno.json`. */
export const zod: Readonly<Record<string, string>> = { zod: "npm:zod@^4" };

/** The import statement. */
export const importZod = 'import { z } from "zod";';

/** A feature of a new application. */
export interface Part {
  /** The description for the README, as the text of a list item. */
  readonly about: string;
  /** A command to try the feature, with its output in a comment. */
  readonly tryIt: string;
  /** The packages it needs besides fw, for the imports in `deno.json`. */
  readonly packages: Readonly<Record<string, string>>;
  /** The import statements for `main.ts`. */
  readonly imports: readonly string[];
  /** The declarations that follow the imports of `main.ts`, or an empty string. */
  readonly declarations: string;
  /** The statements that register its routes in `newApp`. */
  readonly routes: string;
  /** The tests of the feature. */
  readonly tests: string;
  /** The permissions it needs besides network access. */
  readonly permissions: readonly string[];
  /** The folders to embed in a compiled binary. */
  readonly includes: readonly string[];
  /** The contents of its own files, by path. */
  readonly files: Readonly<Record<string, string>>;
}
