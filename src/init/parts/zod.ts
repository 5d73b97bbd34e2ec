/**
 * The schema library that new applications validate their input with. Any Standard Schema works.
 *
 * @module
 */

/** Its entry in the imports of `deno.json`. */
export const zod: Readonly<Record<string, string>> = { zod: "npm:zod@^4" };

/** Its import in code. */
export const importZod = 'import { z } from "zod";';
