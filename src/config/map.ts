/**
 * A short name for plain object types.
 *
 * @module
 */

/**
 * A plain object, as accepted by `ctx.JSON`: `const body: fw.Map = { message: "Hello" }`.
 *
 * The type has the same name as the global `Map`. Import the module as a namespace (`import * as fw from "@fw/web"`)
 * and write `fw.Map`. Importing the type by name would shadow the global type in that file.
 */
export type Map = Record<string, unknown>;
