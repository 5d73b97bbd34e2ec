/**
 * Prices over server-sent events, on a topic that browsers resume after a reconnection without any script.
 *
 * Run it with `deno task example live/ticker` and open http://localhost:8080, or try `curl -N localhost:8080/prices`.
 *
 * Permissions: `--allow-net --allow-read=examples/live/ticker`.
 *
 * @module
 */

import * as fw from "jsr:@fw/web";
import * as live from "jsr:@fw/web/live";

/** A price of tea. */
export interface Price {
  readonly tea: string;
  readonly cents: number;
}

/** Creates the application. */
export function newApp(hub: live.Hub = live.New()): fw.Application {
  const app = fw.Default();
  const folder = new URL("./", import.meta.url);
  // A browser that reconnects after fewer than 1,000 prices misses none. After more, it receives a "gap" event.
  const prices = hub.Topic("prices", { History: 1_000, For: 10 * 60_000 });

  app.Get("/", (ctx) => ctx.ServeFile(new URL("index.html", folder)));
  app.Get("/prices", (ctx) => ctx.Events(prices.Events(), { Retry: 1_000 }));
  app.Post("/prices", async (ctx) => {
    const [cents, error] = await ctx.PostValueInt("cents");
    if (error !== null) return ctx.StopWithError(422, error);
    const price: Price = { tea: await ctx.PostValueDefault("tea", "Assam"), cents };
    ctx.JSON(await prices.Publish("price", price));
  });
  app.RegisterOnShutdown(() => hub.Close());
  return app;
}

if (import.meta.main) await newApp().Run(fw.Addr(":8080"));
