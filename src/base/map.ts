/**
 * The type of plain objects.
 *
 * @module
 */

/** A plain object by its names, such as `ctx.JSON` takes: `const body: fw.Map = { message: "Hello" }`. */
export type Map = Record<string, unknown>;
