/**
 * An application built for testing: `newApp` creates it, and `main_test.ts` tests it without a port.
 *
 * Run it with `deno task example testing` and try `curl localhost:8080/greet/Ada`. Run its tests with `deno test
 * examples/testing`.
 *
 * Permissions: `--allow-net`.
 *
 * @module
 */

import * as fw from "jsr:@fw/web";
import * as sessions from "jsr:@fw/web/sessions";

/** Creates the application. Everything that tests need to replace is a parameter. */
export function newApp(greeting = "Hello"): fw.Application {
  const app = fw.Default();
  const manager = sessions.New({ Cookie: "sid" });
  app.Get("/greet/{name}", (ctx) => ctx.JSON({ message: `${greeting} ${ctx.Params().Get("name")}` }));
  app.Post("/basket", async (ctx) => {
    const session = await manager.Start(ctx);
    ctx.JSON({ items: session.Increment("items", await ctx.PostValueIntDefault("amount", 1)) });
  });
  app.RegisterOnShutdown(() => manager.Close());
  return app;
}

if (import.meta.main) await newApp().Run(fw.Addr(":8080"));
