/**
 * The schema library that `init` adds to new applications. Any Standard Schema library works.
 *
 * @module
 */

/** The import map entry for `deno.json`. */
export const zod: Readonly<Record<string, string>> = { zod: "npm:zod@^4" };

/** The import statement. */
export const importZod = 'import { z } from "zod";';
