/**
 * Several API versions at the same paths, one of them deprecated, with an OpenAPI document for each.
 *
 * Run it with `deno task example versions`, then request a version: `curl -i -H "Accept-Version: 2.0.0"
 * localhost:8080/api/teas`.
 *
 * Permissions: `--allow-net`.
 *
 * @module
 */

import * as fw from "jsr:@fw/web";
import * as mvc from "jsr:@fw/web/mvc";
import * as openapi from "jsr:@fw/web/openapi";
import * as versioning from "jsr:@fw/web/versioning";

/** Serves the shops of version 2. */
class ShopController {
  Get(): object[] {
    return [{ city: "Hamburg" }];
  }
}

/** Creates the application. */
export function newApp(): fw.Application {
  const app = fw.Default();
  const api = app.Party("/api");
  api.Use(versioning.Aliases({ [versioning.Empty]: "1.0.0", latest: "2.1.0" }));

  const v1 = versioning.NewGroup(api, ">=1.0.0 <2.0.0").Deprecated({
    DeprecationDate: new Date("2026-01-01T00:00:00Z"),
    Sunset: new Date("2027-01-01T00:00:00Z"),
  });
  v1.Get("/teas", (ctx) => ctx.JSON(["Assam", "Sencha"]));

  const v2 = versioning.NewGroup(api, ">=2.0.0 <3.0.0");
  v2.Get("/teas", (ctx) => ctx.JSON([{ name: "Assam" }, { name: "Sencha" }]));
  v2.OnErrorCode(404, (ctx) => ctx.JSON({ error: "not found", version: versioning.GetVersion(ctx) }));

  mvc.New(api.Party("/shops")).Handle(ShopController, mvc.Version("2.x"));

  openapi.New({ Title: "Teas", Version: "1.0.0", ForVersion: "1.0.0" }).Serve(app, "/v1", api);
  openapi.New({ Title: "Teas", Version: "2.1.0", ForVersion: "2.1.0" }).Serve(app, "/v2", api);
  return app;
}

if (import.meta.main) await newApp().Run(fw.Addr(":8080"));
