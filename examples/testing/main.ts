/**
 * An application made to be tested: `newApp` creates it, and `main_test.ts` beside it asks it without a port.
 *
 * Run it with `deno task example testing` and ask `curl localhost:8080/greet/Ada`; run its tests with
 * `deno test examples/testing`.
 *
 * Permissions: `--allow-net`.
 *
 * @module
 */

import * as fw from "jsr:@fw/web";
import * as sessions from "jsr:@fw/web/sessions";

/** Creates the application; whatever a test wants to replace is an argument. */
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
