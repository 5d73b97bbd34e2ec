import { assertEquals } from "@std/assert";
import type * as fw from "../../../mod.ts";
import * as cache from "../../../src/middleware/cache/mod.ts";
import * as sessions from "../../../src/state/sessions/mod.ts";
import { bothWays, quiet } from "../../serving.ts";

function newApp(config: sessions.Config = {}): fw.Application {
  const app = quiet();
  const manager = sessions.New(config);
  app.Use(manager.Handler());
  const name = (ctx: fw.Context) => manager.Get(ctx)?.GetString("name") ?? "";
  app.Get("/used", (ctx) => ctx.WriteString(name(ctx)));
  app.Get("/unused", (ctx) => ctx.WriteString("same for all"));
  app.Get("/response", (ctx) => new Response(name(ctx)));
  app.Get("/own", (ctx) => {
    ctx.Header("cache-control", "max-age=60");
    ctx.Header("vary", "Accept");
    ctx.WriteString(name(ctx));
  });
  app.Get("/public", (ctx) => {
    ctx.Header("cache-control", "public, max-age=60");
    ctx.WriteString(name(ctx));
  });
  return app;
}

const rows: readonly (readonly [path: string, cacheControl: string | null, vary: string | null])[] = [
  ["/used", "private", "Cookie"],
  ["/response", "private", "Cookie"],
  ["/unused", null, null],
  ["/own", "max-age=60", "Accept, Cookie"],
  ["/public", "public, max-age=60", null],
];

for (const [path, cacheControl, vary] of rows) {
  bothWays(`sessions.New() sets the caching headers of ${path}`, newApp, async (ask) => {
    const { headers } = await ask(path);
    assertEquals([headers.get("cache-control"), headers.get("vary")], [cacheControl, vary]);
  });
}

Deno.test("sessions.New() sets Cache-Control as configured", async () => {
  for (const [CacheControl, expected] of [["no-store", "no-store"], ["", null]] as const) {
    const { headers } = await newApp({ CacheControl }).fetch(new Request("http://localhost/used"));
    assertEquals(headers.get("cache-control"), expected);
  }
});

Deno.test("cache.New() does not store a response for which a session was used", async () => {
  const app = quiet();
  const manager = sessions.New();
  let runs = 0;
  app.Use(cache.New({ MaxAge: 60_000 }), manager.Handler());
  app.Get("/", (ctx) => {
    manager.Get(ctx)?.GetString("user");
    ctx.WriteString(String(++runs));
  });
  for (const expected of ["1", "2"]) {
    assertEquals(await (await app.fetch(new Request("http://localhost/"))).text(), expected);
  }
});
