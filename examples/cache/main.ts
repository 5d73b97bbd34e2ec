/**
 * Less work and fewer bytes: compression, entity tags, and a cache on the server.
 *
 * Run it with `deno task example cache`. Then ask twice:
 * `curl -i --compressed localhost:8080/report`.
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
  // The outermost comes first: what the others leave is compressed last.
  app.UseRouter(compress.New());
  app.UseRouter(etag.New());

  let runs = 0;
  // Kept for a minute; for ten more the old one is served while a new one is computed.
  app.Get("/report", cache.New({ MaxAge: 60_000, StaleFor: 600_000 }), (ctx) => {
    const rows = Array.from({ length: 200 }, (_, row) => ({ row, square: row * row }));
    ctx.JSON({ run: ++runs, rows });
  });
  app.Get("/private", fw.NoCache, (ctx) => ctx.WriteString("for your eyes only"));
  return app;
}

if (import.meta.main) await newApp().Run(fw.Addr(":8080"));
