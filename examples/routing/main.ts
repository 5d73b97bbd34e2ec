/**
 * Typed path parameters, route groups with middleware, overlapping routes, a subdomain, named routes and a custom 404
 * response.
 *
 * Run it with `deno task example routing`, then use curl to request `localhost:8080/users/7`, `/users/ada`,
 * `/users/me`, `/files/css/site.css`, `/age/200` and `/home`. Also try `curl -H "Host: admin.localhost"
 * localhost:8080`.
 *
 * Permissions: `--allow-net`.
 *
 * @module
 */

import * as fw from "jsr:@fw/web";

/** Creates the application. */
export function newApp(): fw.Application {
  const app = fw.Default();
  app.OnErrorCode(404, (ctx) => ctx.WriteString(`There is nothing at ${ctx.Path()}`));

  // The registration order does not matter: the most specific route wins.
  app.PartyFunc("/users", (users) => {
    users.Use(countVisit);
    users.Get("/{id:long}", (ctx) => ctx.JSON({ by: "number", id: ctx.Params().Get("id") })).SetName("user");
    users.Get("/{name}", (ctx) => ctx.JSON({ by: "name", name: ctx.Params().Get("name") }));
    users.Get("/me", (ctx) => ctx.Redirect(app.Reverse("user", 7n)));
  });
  app.Get("/files/{file:path}", (ctx) => ctx.WriteString(ctx.Params().Get("file")));
  app.Get("/age/{years:int range(0,150) else 400}", (ctx) => ctx.WriteString("thank you"));
  // If the first of two routes with the same path stops, the second one runs.
  const home = app.Party("/home").SetRegisterRule(fw.RouteOverlap);
  home.Get("/", (ctx) => ctx.GetHeader("x-user") === "" ? ctx.StopExecution() : ctx.WriteString("welcome back"));
  home.Get("/", (ctx) => ctx.WriteString("please log in"));
  app.Party("admin.").Get("/", (ctx) => ctx.WriteString(`welcome to ${ctx.Host()}`));
  return app;
}

let visits = 0;

/** Counts the visit, then calls the next handler. */
function countVisit(ctx: fw.Context): Promise<void> | undefined {
  ctx.Header("x-visits", String(++visits));
  return ctx.Next();
}

if (import.meta.main) await newApp().Run(fw.Addr(":8080"));
