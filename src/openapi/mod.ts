/**
 * OpenAPI 3.1 from the running application: every route with its parameters, inputs and responses, as JSON, as YAML and
 * as a page to read and try it on.
 *
 * Run as a program it adds what only the sources know, return types and doc comments:
 *
 * ```sh
 * deno run -A jsr:@fw/web/openapi main.ts > openapi.json
 * ```
 *
 * The module exports its application as its default, or a function `newApp` that creates it, possibly asynchronously or
 * inside an object such as `{ app, db }`. A module that calls `Run` is described without listening.
 *
 * @example A document of two routes
 * ```ts
 * import * as fw from "@fw/web";
 * import * as openapi from "@fw/web/openapi";
 *
 * const app = fw.New();
 * app.Get("/teas", (ctx) => ctx.JSON(["Assam"])).Describe({ Summary: "Lists all teas" });
 * app.Get("/teas/{id:int min(1)}", (ctx) => ctx.JSON("Assam"));
 *
 * const document = await openapi.New({ Title: "Teas", Version: "1.0.0" }).Build(app);
 * Object.keys(document.paths as object); // → ["/teas", "/teas/{id}"]
 * ```
 *
 * @module
 */

import { Document } from "./document.ts";
import type { Options } from "./document_options.ts";

export { Document } from "./document.ts";
export type { DocumentObject, Options } from "./document_options.ts";
export type { JSONSchema, SchemaConverter, Side } from "./json_schema.ts";
export { Security } from "./security.ts";
export { UI, type UIOptions } from "./ui.ts";

/**
 * Creates the OpenAPI document of an application, to be built or served.
 *
 * @param options The title, the version and what else is said of the API.
 * @returns The document.
 */
export function New(options: Options): Document {
  return new Document(options);
}

if (import.meta.main) {
  // Not awaited: the application that the program loads may import this very module, and would wait for it for ever.
  void import("./sources/main.ts").then(({ main }) => main(Deno.args)).then(Deno.exit);
}
