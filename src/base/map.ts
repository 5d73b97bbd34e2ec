/**
 * The type of plain objects.
 *
 * @module
 */

/**
 * An object with string keys, such as `ctx.JSON` takes: `const body: fw.Map = { message: "Hello" }`.
 *
 * The name is also that of the global `Map`. Import the module as a namespace, `import * as fw from "@fw/web"`, and
 * write `fw.Map`; importing the type `Map` by its name shadows the global type in that file.
 */
export type Map = Record<string, unknown>;
