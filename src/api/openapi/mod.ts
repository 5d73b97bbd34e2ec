/**
 * Generates OpenAPI 3.1 documents from an application's routes and serves them as JSON, as YAML and as an interactive
 * page.
 *
 * The command-line program also includes return types and doc comments, which are only available in the sources:
 *
 * ```sh
 * deno run -A jsr:@fw/web/openapi main.ts > openapi.json
 * ```
 *
 * The module must export its application as the default export, or export a `newApp` function that creates it. The
 * function may be asynchronous and may return an object such as `{ app, db }`. If the module calls `Run`, the
 * application is documented without starting a server.
 *
 * @example Build a document for two routes
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

import { loadModule } from "../../base/async/lazy_module.ts";
import { Document } from "./document.ts";
import type { Options } from "./document_options.ts";

export { Document } from "./document.ts";
export type { DocumentObject, Options } from "./document_options.ts";
export type { JSONSchema, SchemaConverter, Side } from "./json_schema.ts";
export { Security } from "./operation.ts";
export { UI, type UIOptions } from "./document.ts";

/**
 * Creates an OpenAPI document for an application.
 *
 * @param options The title, version and other information about the API.
 * @returns The document. Call `Build` or `Serve` on it.
 */
export function New(options: Options): Document {
  return new Document(options);
}

if (import.meta.main) {
  // This promise is not awaited, because the loaded application may import this module, which would cause a deadlock.
  void loadModule(() => import("./sources/main.ts")).then(({ main }) => main(Deno.args)).then(Deno.exit);
}
