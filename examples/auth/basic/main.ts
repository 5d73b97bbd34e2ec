/**
 * Names and passwords by the browser's own dialog, with roles.
 *
 * Run it with `deno task example auth/basic`, open http://localhost:8080 and log in as ada with "engine" or as bob with
 * "builder". `curl -u ada:engine localhost:8080/admin` works as well.
 *
 * @module
 */

import * as fw from "jsr:@fw/web";
import * as auth from "jsr:@fw/web/middleware/auth";
import * as basicauth from "jsr:@fw/web/middleware/basicauth";

/** Creates the application. */
export function newApp(): fw.Application {
  const app = fw.Default();
  app.Get("/", (ctx) => ctx.HTML(`<a href="/me">Who am I?</a> <a href="/admin">Administration</a>`));

  const inside = app.Party("/");
  inside.Use(basicauth.New({
    // Only hashes: who reads the file cannot log in. `basicauth.Hash("engine")` made the first one.
    File: new URL("./users.json", import.meta.url),
    Realm: "Tea house",
    // Ten wrong passwords in a quarter of an hour, then 429 for this address.
    MaxTries: 10,
  }));
  inside.Get("/me", (ctx) => ctx.JSON(ctx.User()));
  inside.Get("/admin", auth.Allow("admin"), (ctx) => ctx.WriteString(`Welcome, ${ctx.User()?.Name}`));
  // 401, at which browsers forget the password.
  inside.Get("/logout", (ctx) => ctx.Logout());
  return app;
}

if (import.meta.main) await newApp().Run(fw.Addr(":8080"));
