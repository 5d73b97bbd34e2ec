/**
 * HTTP basic authentication with roles.
 *
 * Run it with `deno task example auth/basic`, open http://localhost:8080 and log in as ada with the password "engine"
 * or as bob with "builder". `curl -u ada:engine localhost:8080/admin` works too.
 *
 * Permissions: `--allow-net --allow-read=examples/auth/basic`.
 *
 * @module
 */

import * as fw from "jsr:@fw/web";
import * as auth from "jsr:@fw/web/middleware/auth";
import * as basicauth from "jsr:@fw/web/middleware/basicauth";

const page = `<!doctype html>
<html lang="en">
  <meta name="viewport" content="width=device-width">
  <style>:root { color-scheme: light dark; font: 1.1rem/1.6 system-ui; margin: 3rem auto; width: min(36rem, 90vw) }</style>
  <title>Tea house</title>
  <h1>Tea house</h1>
  <p><a href="/me">Who am I?</a></p>
  <p><a href="/admin">Administration</a></p>
</html>`;

/** Creates the application. */
export function newApp(): fw.Application {
  const app = fw.Default();
  app.Get("/", (ctx) => ctx.HTML(page));

  const inside = app.Party("/");
  inside.Use(basicauth.New({
    // The file contains only hashes, so reading it is not enough to log in. The first was created with
    // `auth.HashPassword("engine")`.
    File: new URL("./users.json", import.meta.url),
    Realm: "Tea house",
    // After ten wrong passwords within 15 minutes, responds with 429 to this address.
    MaxTries: 10,
  }));
  inside.Get("/me", (ctx) => ctx.JSON(ctx.User()));
  inside.Get("/admin", auth.Allow("admin"), (ctx) => ctx.WriteString(`Welcome, ${ctx.User()?.Name}`));
  // Responds with 401, which makes browsers forget the password.
  inside.Get("/logout", (ctx) => ctx.Logout());
  return app;
}

if (import.meta.main) await newApp().Run(fw.Addr(":8080"));
