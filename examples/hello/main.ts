/**
 * The smallest useful application: a page, a text and an object.
 *
 * Run it with `deno task start`, then ask `curl localhost:8080/ping`.
 */

import * as fw from "jsr:@fw/web";

/** Makes the application; the tests serve it without a port. */
export function newApp(): fw.Application {
  const app = fw.Default();

  app.Handle("GET", "/", (ctx) => ctx.HTML("<h1>Welcome</h1>"));
  app.Get("/ping", (ctx) => ctx.WriteString("pong"));
  app.Get("/hello", (ctx) => ctx.JSON({ message: "Hello from fw" }));

  return app;
}

if (import.meta.main) await newApp().Run(fw.Addr(":8080"));
