/**
 * A login with sessions: the user, a visit counter, flash messages and logout.
 *
 * Run it with `deno task example sessions/login`, then open http://localhost:8080 and log in as ada with "engine".
 *
 * Permissions: `--allow-net --allow-read=examples/sessions/login`.
 *
 * @module
 */

import * as fw from "jsr:@fw/web";
import * as keys from "jsr:@fw/web/keys";
import * as auth from "jsr:@fw/web/middleware/auth";
import * as csrf from "jsr:@fw/web/middleware/csrf";
import * as sessions from "jsr:@fw/web/sessions";

/** The logged-in user. A typed key ensures that all handlers read the same type. */
const user = fw.Key<{ name: string; since: Date }>("user");

/** A stand-in for the user table. It contains hashes, not passwords. */
const hashes = new Map([
  ["ada", await auth.HashPassword("engine")],
  ["grace", await auth.HashPassword("compiler")],
]);

/** Creates the application. */
export function newApp(): fw.Application {
  const app = fw.Default();
  const manager = sessions.New({ Cookie: "login", Expires: 60 * 60 * 1000, Rolling: true });

  app.RegisterView(fw.HTML(new URL("./views/", import.meta.url)).Layout("layout"));

  // UseRouter instead of Use, because the layout shows the user and a form on every page, including error pages.
  app.UseRouter(csrf.New({ Keys: keys.New(keys.Generate()) }), async (ctx) => {
    const session = await manager.Start(ctx);
    ctx.ViewData("User", session.Get(user));
    ctx.ViewData("CSRF", csrf.Field(ctx));
    await ctx.Next();
  });
  app.OnErrorCode(404, (ctx) => ctx.View("missing", { Path: ctx.Path() }));

  app.Get("/", async (ctx) => {
    const session = await manager.Start(ctx);
    await ctx.View("home", {
      Visits: session.Increment("visits"),
      Message: await session.GetFlash("message"),
    });
  });

  app.Get("/login", async (ctx) => {
    const session = await manager.Start(ctx);
    await ctx.View("login", {
      Failures: session.GetIntDefault("failures", 0),
      Message: await session.GetFlash("message"),
    });
  });

  app.Post("/login", async (ctx) => {
    const session = await manager.Start(ctx);
    const name = await ctx.PostValue("name");
    const password = await ctx.PostValue("password");
    // Takes the same time if the name does not exist.
    if (!await auth.VerifyPassword(password, hashes.get(name))) {
      session.Increment("failures");
      session.SetFlash("message", "That name and password do not go together.");
      return ctx.Redirect("/login", 303);
    }
    // A new session ID at every login prevents session fixation.
    session.Regenerate();
    session.Delete("failures");
    session.Set(user, { name, since: new Date() });
    session.SetFlash("message", `Welcome, ${name}.`);
    ctx.Redirect("/", 303);
  });

  app.Post("/logout", async (ctx) => {
    await manager.Destroy(ctx);
    // After the logout, the message belongs to a new session.
    (await manager.Start(ctx)).SetFlash("message", "You have logged out.");
    ctx.Redirect("/", 303);
  });

  return app;
}

if (import.meta.main) await newApp().Run(fw.Addr(":8080"));
