/**
 * Compression, entity tags and a server-side cache.
 *
 * Run it with `deno task example cache`, then send the same request twice: `curl -i --compressed
 * localhost:8080/report`.
 *
 * Permissions: `--allow-net`.
 *
 * @module
 */

import * as fw from "jsr:@fw/web";
import * as cache from "jsr:@fw/web/middleware/cache";
import * as compress from "jsr:@fw/web/middleware/compress";
import * as etag from "jsr:@fw/web/middleware/etag";

/** Creates the application. */
export function newApp(): fw.Application {
  const app = fw.Default();
  // The outermost middleware comes first, so the final response is compressed.
  app.UseRouter(compress.New());
  app.UseRouter(etag.New());

  let runs = 0;
  // The response is fresh for a minute. For ten more minutes, the stale response is served while a new one is
  // generated.
  app.Get("/report", cache.New({ MaxAge: 60_000, StaleFor: 600_000 }), (ctx) => {
    const rows = Array.from({ length: 200 }, (_, row) => ({ row, square: row * row }));
    ctx.JSON({ run: ++runs, rows });
  });
  app.Get("/private", fw.NoCache, (ctx) => ctx.WriteString("for your eyes only"));
  return app;
}

if (import.meta.main) await newApp().Run(fw.Addr(":8080"));
