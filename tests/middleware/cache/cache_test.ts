import * as fw from "@fw/web";
import * as cache from "@fw/web/middleware/cache";
import * as etag from "@fw/web/middleware/etag";
import { assert, assertEquals, assertThrows } from "@std/assert";
import { PassingTime } from "../../clocks.ts";
import { bothWays, quiet } from "../../serving.ts";

const local = "http://localhost";

interface Site {
  readonly app: fw.Application;
  /** The number of times the handler ran. */
  runs: number;
}

/** Creates an application with one route that counts its runs. */
function counting(options: cache.Options, handler: (ctx: fw.Context, run: number) => void | Promise<void>): Site {
  const site: Site = { app: quiet(), runs: 0 };
  site.app.UseRouter(cache.New(options));
  site.app.Any("/page", (ctx) => handler(ctx, ++site.runs));
  return site;
}

async function ask(site: Site, headers: Record<string, string> = {}, method = "GET"): Promise<[string, string | null]> {
  const response = await site.app.fetch(new Request(`${local}/page`, { method, headers }));
  return [await response.text(), response.headers.get("cache-status")];
}

bothWays(
  "cache.New() stores the status, the headers and the body",
  () => {
    let runs = 0;
    const app = quiet();
    app.Get("/page", cache.New({ MaxAge: 60_000 }), (ctx) => {
      ctx.StatusCode(404);
      ctx.Header("x-run", String(++runs));
      ctx.ContentType("application/x-page");
      ctx.Write(new Uint8Array([1, 2, 255]));
    });
    return app;
  },
  async (get) => {
    const responses = [await get("/page"), await get("/page"), await get("/page", { method: "HEAD" })];
    for (const response of responses) {
      assertEquals([response.status, response.headers.get("x-run")], [404, "1"]);
      assertEquals(response.headers.get("content-type"), "application/x-page");
    }
    assertEquals(responses.map(({ bytes }) => [...bytes]), [[1, 2, 255], [1, 2, 255], []]);
    assertEquals(responses.map(({ headers }) => headers.has("age")), [false, true, true]);
  },
);

const uncacheable: Readonly<Record<string, (ctx: fw.Context) => void>> = {
  "no-store": (ctx) => ctx.Header("cache-control", "no-store"),
  "private": (ctx) => ctx.Header("cache-control", "max-age=60, Private"),
  "no-cache": (ctx) => ctx.Header("cache-control", "no-cache"),
  "max-age=0": (ctx) => ctx.Header("cache-control", "max-age=0"),
  "s-maxage=0": (ctx) => ctx.Header("cache-control", "max-age=60, s-maxage=0"),
  "a max-age that is not a number": (ctx) => ctx.Header("cache-control", "max-age=soon"),
  "a cookie": (ctx) => ctx.SetCookie("id", "1"),
  "Vary: *": (ctx) => ctx.Header("vary", "*"),
  "status 500": (ctx) => ctx.StatusCode(500),
  "status 206": (ctx) => ctx.StatusCode(206),
};

for (const [name, say] of Object.entries(uncacheable)) {
  Deno.test(`cache.New() does not store a response with ${name}`, async () => {
    const site = counting({ MaxAge: 60_000 }, (ctx, run) => {
      say(ctx);
      ctx.WriteString(`run ${run}`);
    });
    assertEquals(await ask(site), ["run 1", "fw; fwd=miss"]);
    assertEquals(await ask(site), ["run 2", "fw; fwd=miss"]);
  });
}

Deno.test("cache.New() does not cache for clients with credentials unless the response is public", async () => {
  for (const headers of [{ authorization: "Bearer x" }, { cookie: "sid=x" }] as Record<string, string>[]) {
    const site = counting({ MaxAge: 60_000 }, (ctx, run) => ctx.WriteString(`run ${run}`));
    await ask(site);
    assertEquals((await ask(site, headers))[0], "run 2");
    assertEquals((await ask(site, headers))[0], "run 3");
    assertEquals((await ask(site))[0], "run 1");
    const open = counting({}, (ctx, run) => {
      ctx.Header("cache-control", "public, max-age=60");
      ctx.WriteString(`run ${run}`);
    });
    assertEquals((await ask(open))[0], "run 1");
    assertEquals((await ask(open, headers))[0], "run 1");
    assertEquals((await ask(open))[0], "run 1");
  }
});

Deno.test("cache.New() stores variants by Vary and invalidates them together", async () => {
  const site = counting({ MaxAge: 60_000 }, (ctx, run) => {
    ctx.Header("vary", "Accept-Language");
    ctx.WriteString(`run ${run} for ${ctx.GetHeader("accept-language")}`);
  });
  const english = { "accept-language": "en" };
  const german = { "accept-language": "de" };
  assertEquals((await ask(site, english))[0], "run 1 for en");
  assertEquals((await ask(site, german))[0], "run 2 for de");
  assertEquals((await ask(site, english))[0], "run 1 for en");
  assertEquals((await ask(site, german))[0], "run 2 for de");
  await ask(site, {}, "POST");
  assertEquals((await ask(site, english))[0], "run 4 for en");
  assertEquals((await ask(site, german))[0], "run 5 for de");
});

Deno.test("cache.New() runs the handler for one request while the others wait", async () => {
  const gate = Promise.withResolvers<void>();
  const site = counting({ MaxAge: 60_000 }, async (ctx, run) => {
    await gate.promise;
    ctx.WriteString(`run ${run}`);
  });
  const asked = Array.from({ length: 100 }, () => ask(site));
  gate.resolve();
  const got = await Promise.all(asked);
  assertEquals(new Set(got.map(([text]) => text)), new Set(["run 1"]));
  assertEquals(site.runs, 1);
});

Deno.test("cache.New() does not let requests wait for a response that fails or is not stored", async () => {
  const site = counting({ MaxAge: 60_000 }, async (_ctx, run) => {
    await Promise.resolve();
    throw new fw.HTTPError(503, `run ${run}`);
  });
  const got = await Promise.all([ask(site), ask(site), ask(site)]);
  assertEquals(got.map(([text]) => text).sort(), ["run 1", "run 2", "run 3"]);
});

Deno.test("cache.New() serves stale responses while it revalidates once, until they expire", async () => {
  using time = new PassingTime();
  const site = counting({ MaxAge: 1000, StaleFor: 10_000 }, (ctx, run) => ctx.WriteString(`run ${run}`));
  assertEquals((await ask(site))[0], "run 1");
  time.tick(2000);
  assertEquals(await ask(site), ["run 1", "fw; hit; detail=stale"]);
  await time.runMicrotasks();
  assertEquals((await ask(site))[0], "run 2");
  assertEquals(site.runs, 2);
  time.tick(20_000);
  assertEquals(await ask(site), ["run 3", "fw; fwd=miss; stored"]);
});

Deno.test("cache.New() honors the reload button unless configured otherwise", async () => {
  const handler = (ctx: fw.Context, run: number) => ctx.WriteString(`run ${run}`);
  const site = counting({ MaxAge: 60_000 }, handler);
  await ask(site);
  assertEquals((await ask(site, { "cache-control": "no-cache" }))[0], "run 2");
  assertEquals((await ask(site))[0], "run 2");
  const firm = counting({ MaxAge: 60_000, IgnoreReload: true }, handler);
  await ask(firm);
  assertEquals((await ask(firm, { "cache-control": "no-cache" }))[0], "run 1");
});

Deno.test("cache.New() accepts custom keys and does not store a response with an empty key", async () => {
  const site = counting(
    { MaxAge: 60_000, Key: (ctx) => ctx.GetHeader("x-key") },
    (ctx, run) => ctx.WriteString(`run ${run}`),
  );
  assertEquals((await ask(site, { "x-key": "a" }))[0], "run 1");
  assertEquals((await ask(site, { "x-key": "a" }))[0], "run 1");
  assertEquals((await ask(site, { "x-key": "b" }))[0], "run 2");
  assertEquals((await ask(site))[0], "run 3");
  assertEquals((await ask(site))[0], "run 4");
});

Deno.test("cache.New() stores streams up to MaxBody and passes longer ones through", async () => {
  const site = counting({ MaxAge: 60_000, MaxBody: 10 }, (ctx) => {
    ctx.ContentType("text/plain");
    ctx.Stream(Array.from({ length: Number(ctx.GetHeader("x-parts")) }, () => "abcd"));
  });
  assertEquals((await ask(site, { "x-parts": "5" }))[0], "abcd".repeat(5));
  assertEquals(site.runs, 1);
  const short = counting({ MaxAge: 60_000, MaxBody: 10 }, (ctx) => ctx.Stream(["ab", "cd"]));
  assertEquals((await ask(short))[0], "abcd");
  assertEquals((await ask(short))[0], "abcd");
  assertEquals(short.runs, 1);
});

Deno.test("cache.New() with etag.New() sends 304 from the cache", async () => {
  const app = quiet();
  let runs = 0;
  app.Get("/page", cache.New({ MaxAge: 60_000 }), etag.New(), (ctx) => ctx.WriteString(`run ${++runs}`));
  const first = await app.fetch(new Request(`${local}/page`));
  await first.body?.cancel();
  const tag = first.headers.get("etag") ?? "";
  const second = await app.fetch(new Request(`${local}/page`, { headers: { "if-none-match": tag } }));
  assertEquals([second.status, await second.text(), second.headers.get("etag"), runs], [304, "", tag, 1]);
});

Deno.test("cache.NewMemory() stays within its size and removes the least recently used response", () => {
  const store = cache.NewMemory(10_000);
  const response = (size: number): cache.CachedResponse => ({
    Status: 200,
    Headers: [],
    Body: new Uint8Array(size),
    Stored: 0,
    Fresh: 1000,
    Vary: [],
    Public: false,
  });
  for (const key of ["a", "b", "c"]) store.Set(key, response(2000), 60_000);
  assert(store.Get("a") !== undefined);
  store.Set("d", response(2000), 60_000);
  assertEquals(["a", "b", "c", "d"].map((key) => store.Get(key) !== undefined), [true, false, true, true]);
  store.Set("huge", response(20_000), 60_000);
  assertEquals(store.Get("huge"), undefined);
  assert(store.Get("a") !== undefined);
});

Deno.test("cache.New() rejects invalid durations", () => {
  assertThrows(() => cache.New({ MaxAge: -1 }), Error, '"MaxAge" of cache: it must be a non-negative number, not -1');
  assertThrows(() => cache.NewMemory(0), Error, '"maxBytes" of cache.NewMemory');
});

Deno.test("cache.New() separates responses by the host and scheme that a proxy reports", async () => {
  const app = quiet();
  app.Configure(fw.WithProxy({ Trust: ["127.0.0.1"], Take: ["X-Forwarded-Host"] }));
  app.Use(cache.New({ MaxAge: 60_000 }));
  app.Get("/page", (ctx) => ctx.WriteString(`${ctx.Scheme()}://${ctx.Host()}`));
  const info = { remoteAddr: { transport: "tcp", hostname: "127.0.0.1", port: 1 } } as const;
  const ask = async (headers: Record<string, string>) =>
    (await app.fetch(new Request(`${local}/page`, { headers }), info)).text();
  assertEquals(await ask({ "x-forwarded-host": "evil.example" }), "http://evil.example");
  assertEquals(await ask({ "x-forwarded-host": "shop.example" }), "http://shop.example");
  assertEquals(await ask({}), "http://localhost");
});

Deno.test("cache.New() revalidates a response as if the proxy had sent the request again", async () => {
  const app = quiet();
  let runs = 0;
  app.Configure(fw.WithProxy({ Trust: ["127.0.0.1"], Take: ["X-Forwarded-Host"] }));
  app.Use(cache.New({ MaxAge: 1000, StaleFor: 60_000 }));
  app.Get("/page", (ctx) => ctx.WriteString(`${ctx.Host()} ${++runs}`));
  const info = { remoteAddr: { transport: "tcp", hostname: "127.0.0.1", port: 1 } } as const;
  const headers = { "x-forwarded-host": "shop.example" };
  const ask = async () => (await app.fetch(new Request(`${local}/page`, { headers }), info)).text();
  using time = new PassingTime();
  assertEquals(await ask(), "shop.example 1");
  time.tick(2000);
  assertEquals(await ask(), "shop.example 1");
  await time.runMicrotasks();
  assertEquals(await ask(), "shop.example 2");
});

Deno.test("cache.New() does not serve a redirect from HTTP to HTTPS clients", async () => {
  const app = quiet();
  app.Use(cache.New({ MaxAge: 60_000 }));
  app.Get("/page", (ctx) => {
    if (ctx.Scheme() === "http") return ctx.Redirect(`https://${ctx.Host()}/page`, 301);
    ctx.WriteString("secure");
  });
  const ask = async (scheme: string) => (await app.fetch(new Request(`${scheme}://localhost/page`))).status;
  assertEquals([await ask("http"), await ask("https"), await ask("http")], [301, 200, 301]);
});
