/**
 * Lists an application's routes or explains how it routes a request. Use it from the command line or from code.
 *
 * ```sh
 * deno run -A jsr:@fw/web/routes main.ts               # all routes
 * deno run -A jsr:@fw/web/routes main.ts GET /users/5  # one request
 * deno run -A jsr:@fw/web/routes main.ts --guards      # who may use them
 * deno run -A jsr:@fw/web/routes main.ts --json        # for tools
 * ```
 *
 * The module must export its application as the default export, or export a `newApp` function that creates it. The
 * function may be asynchronous and may return an object such as `{ app, db }`. If the module calls `Run`, the routes
 * are listed without starting a server. The routes of mounted and switched fw applications are included.
 *
 * @example List the routes from code
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

import { loadModule } from "../../base/async/lazy_module.ts";
import type { Application } from "../../core/app/application.ts";
import { describeRoutes, type ListedRoute } from "../../core/app/inspect/list_routes.ts";
import { servedRoutes } from "../../core/app/served_routes.ts";

export type { ListedRoute } from "../../core/app/inspect/list_routes.ts";

/**
 * Lists the routes of an application and of the fw applications that it passes requests to.
 *
 * @param app The application.
 * @returns The routes, in registration order. Those of a mounted application take the place of its mount.
 *
 * @example Print the method and path of each route
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
  return describeRoutes(servedRoutes(app));
}

if (import.meta.main) {
  // This promise is not awaited, because the loaded application may import this module, which would cause a deadlock.
  void loadModule(() => import("./main.ts")).then(({ main }) => main(Deno.args)).then(Deno.exit);
}
