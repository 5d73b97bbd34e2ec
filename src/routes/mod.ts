/**
 * Lists the routes of an application, or explains what becomes of one request: a program for the command line.
 *
 * ```sh
 * deno run -A jsr:@fw/web/routes main.ts               # all routes
 * deno run -A jsr:@fw/web/routes main.ts GET /users/5  # one request
 * deno run -A jsr:@fw/web/routes main.ts --json        # for tools
 * ```
 *
 * The module exports its application as its default, or a function `newApp` that creates it, possibly asynchronously or
 * inside an object such as `{ app, db }`. A module that calls `Run` is described without listening.
 *
 * @example The same from code
 * ```ts
 * import * as fw from "@fw/web";
 * import * as routes from "@fw/web/routes";
 *
 * const app = fw.New();
 * app.Get("/users/{id:int}", (ctx) => ctx.JSON({}));
 * routes.List(app).map(({ Method, Path }) => `${Method} ${Path}`); // → ["GET /users/{id:int}"]
 * ```
 *
 * @module
 */

import type { Application } from "../app/application.ts";
import { type ListedRoute, listRoutes } from "./list.ts";

export type { ListedRoute } from "./list.ts";

/**
 * Lists the routes of an application.
 *
 * @param app The application.
 * @returns One row per route, in the order of registration.
 *
 * @example The routes of an application
 * ```ts
 * import * as fw from "@fw/web";
 * import * as routes from "@fw/web/routes";
 *
 * const app = fw.New();
 * app.Get("/ping", function ping(ctx) {
 *   ctx.WriteString("pong");
 * });
 * routes.List(app).map(({ Method, Path, Handlers }) => [Method, Path, Handlers]); // → [["GET", "/ping", ["ping"]]]
 * ```
 */
export function List(app: Application): ListedRoute[] {
  return listRoutes(app);
}

if (import.meta.main) {
  // Not awaited: the application that the program loads may import this very module, and would wait for it for ever.
  void import("./main.ts").then(({ main }) => main(Deno.args)).then(Deno.exit);
}
