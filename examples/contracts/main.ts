/**
 * A server, a typed client, an OpenAPI document and an interactive page, all from one class.
 *
 * Run it with `deno task example contracts` and open http://localhost:8080/openapi.
 *
 * Permissions: `--allow-net`.
 *
 * @module
 */

import * as fw from "jsr:@fw/web";
import * as mvc from "jsr:@fw/web/mvc";
import * as openapi from "jsr:@fw/web/openapi";
import { handleTeas } from "./teas.ts";

/** Creates the application. */
export function newApp(): fw.Application {
  const app = fw.Default();
  mvc.Configure(app.Party("/teas"), handleTeas);
  openapi.New({ Title: "Teas", Version: "1.0.0", Description: "A shelf of teas" }).Serve(app);
  app.Get("/", (ctx) => ctx.Redirect("/openapi")).Describe({ Hidden: true });
  return app;
}

if (import.meta.main) await newApp().Run(fw.Addr(":8080"));
