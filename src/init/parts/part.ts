/**
 * A part of a new application: what it adds to each file, and files of its own.
 *
 * @module
 */

/** A part of a new application. */
export interface Part {
  /** One line that says what it is, for the README. */
  readonly about: string;
  /** A command to try it with, and behind it what comes of it. */
  readonly tryIt: string;
  /** Packages beside fw, as `deno.json` names them. */
  readonly packages: Readonly<Record<string, string>>;
  /** Lines of import for `main.ts`. */
  readonly imports: readonly string[];
  /** Declarations that follow the imports of `main.ts`; empty for none. */
  readonly declarations: string;
  /** What it registers in `newApp`. */
  readonly routes: string;
  /** Its tests. */
  readonly tests: string;
  /** The permissions that it needs beside the network. */
  readonly permissions: readonly string[];
  /** Folders that a compiled binary must carry. */
  readonly includes: readonly string[];
  /** Files of its own, by path. */
  readonly files: Readonly<Record<string, string>>;
}
