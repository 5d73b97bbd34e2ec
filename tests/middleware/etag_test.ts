import { assertEquals, assertMatch, assertNotEquals, assertThrows } from "@std/assert";
import * as fw from "@fw/web";
import * as compress from "@fw/web/middleware/compress";
import * as etag from "@fw/web/middleware/etag";
import { type Ask, bothWays, quiet } from "../serving.ts";

function newApp(options: etag.Options = {}): fw.Application {
  const app = quiet();
  app.UseRouter(compress.New());
  app.UseRouter(etag.New(options));
  app.Get("/text", (ctx) => ctx.WriteString("tea ".repeat(500)));
  app.Get("/stream", (ctx) => ctx.Stream(["a", "b"]));
  app.Get("/own", (ctx) => {
    ctx.Header("etag", '"own"');
    ctx.WriteString("own");
  });
  app.Get("/secret", (ctx) => {
    ctx.Header("cache-control", "no-store");
    ctx.WriteString("secret");
  });
  app.Get("/returned", () => new Response("returned"));
  app.Post("/text", (ctx) => ctx.WriteString("posted"));
  return app;
}

async function tagOf(ask: Ask, path: string): Promise<string | null> {
  return (await ask(path)).headers.get("etag");
}

bothWays(
  "etag.New() tags responses by their content and sends 304 if the client has the current version",
  newApp,
  async (ask) => {
    for (const path of ["/text", "/stream", "/own", "/returned"]) {
      const tag = await tagOf(ask, path);
      assertMatch(tag ?? "", /^"[\w-]+"$/);
      assertEquals(await tagOf(ask, path), tag);
      for (const known of [tag, `"other", ${tag}`, `W/${tag}`, "*"]) {
        const response = await ask(path, { headers: { "if-none-match": known ?? "" } });
        assertEquals([response.status, response.text, response.headers.get("etag")], [304, "", tag], path);
        assertEquals(response.headers.get("content-type"), null);
        assertEquals(response.headers.get("content-length"), null);
      }
      assertEquals((await ask(path, { headers: { "if-none-match": '"other"' } })).status, 200);
    }
    assertNotEquals(await tagOf(ask, "/text"), await tagOf(ask, "/stream"));
  },
);

bothWays("etag.New() does not tag errors, writes and responses that must not be stored", newApp, async (ask) => {
  assertEquals(await tagOf(ask, "/secret"), null);
  assertEquals(await tagOf(ask, "/nowhere"), null);
  assertEquals((await ask("/text", { method: "POST" })).headers.get("etag"), null);
});

bothWays(
  "etag.New() inside compress.New() sends one tag, which is weak if the response is compressed",
  newApp,
  async (ask) => {
    const plain = await tagOf(ask, "/text");
    const packed = await ask("/text", { headers: { "accept-encoding": "gzip" } });
    assertEquals(packed.headers.get("etag"), `W/${plain}`);
    const again = await ask("/text", { headers: { "accept-encoding": "gzip", "if-none-match": `W/${plain}` } });
    assertEquals(again.status, 304);
  },
);

bothWays(
  "etag.New() creates weak tags and does not tag long streams",
  () => newApp({ Weak: true, MaxBody: 1 }),
  async (ask) => {
    assertMatch(await tagOf(ask, "/text") ?? "", /^W\/"/);
    const long = await ask("/stream");
    assertEquals([long.text, long.headers.get("etag")], ["ab", null]);
  },
);

bothWays(
  "fw.NoCache, StaticCache() and Cache304() set Cache-Control",
  () => {
    const app = quiet();
    app.Get("/never", fw.NoCache, (ctx) => ctx.WriteString("never"));
    app.Get("/hour", fw.StaticCache(3_600_000), (ctx) => ctx.WriteString("hour"));
    app.Get("/ask", fw.StaticCache(0), (ctx) => ctx.WriteString("ask"));
    app.Get("/while", fw.Cache304(60_000), (ctx) => ctx.WriteString("while"));
    return app;
  },
  async (ask) => {
    assertEquals((await ask("/never")).headers.get("cache-control"), "no-store, no-cache, must-revalidate");
    assertEquals((await ask("/hour")).headers.get("cache-control"), "public, max-age=3600");
    assertEquals((await ask("/ask")).headers.get("cache-control"), "no-cache");
    const modified = (await ask("/while")).headers.get("last-modified") ?? "";
    assertEquals((await ask("/while", { headers: { "if-modified-since": modified } })).status, 304);
    const old = new Date(Date.now() - 120_000).toUTCString();
    assertEquals((await ask("/while", { headers: { "if-modified-since": old } })).text, "while");
    const future = new Date(Date.now() + 120_000).toUTCString();
    assertEquals((await ask("/while", { headers: { "if-modified-since": future } })).text, "while");
    // These are not valid HTTP dates, although `Date.parse` accepts the last two.
    const recently = new Date(Date.now() - 10_000);
    for (const text of ["soon", recently.toISOString(), recently.toString()]) {
      assertEquals((await ask("/while", { headers: { "if-modified-since": text } })).text, "while");
    }
  },
);

Deno.test("fw.StaticCache() rejects invalid durations", () => {
  assertThrows(() => fw.StaticCache(Number.NaN), Error, 'Cannot cache responses for "NaN" ms');
});

Deno.test("etag.New() does not delay or truncate a stream", async () => {
  const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const encoder = new TextEncoder();
  const pieces = (isEager: boolean) => {
    let at = isEager ? -1 : 0;
    return new ReadableStream<Uint8Array<ArrayBuffer>>({
      async pull(controller) {
        await gates[at]?.promise;
        if (at === gates.length) return controller.close();
        controller.enqueue(encoder.encode(`piece ${at++} `));
      },
    }, { highWaterMark: 0 });
  };
  const app = quiet();
  app.Use(etag.New());
  app.Get("/eager", () => new Response(pieces(true)));
  app.Get("/slow", () => new Response(pieces(false)));
  app.Get("/written", (ctx) => {
    ctx.ContentType("text/plain");
    return new Response(pieces(true), { headers: { "content-type": "text/event-stream" } });
  });
  const responses = await Promise.all(
    ["/eager", "/slow", "/written"].map((path) => app.fetch(new Request(`http://localhost${path}`))),
  );
  // All headers have arrived before any stream has ended.
  assertEquals(responses.map(({ headers }) => headers.has("etag")), [false, false, false]);
  for (const gate of gates) gate.resolve();
  const texts = await Promise.all(responses.map((response) => response.text()));
  assertEquals(texts, ["piece -1 piece 0 piece 1 ", "piece 0 piece 1 ", "piece -1 piece 0 piece 1 "]);
});

Deno.test("etag.New() passes on the error of a stream, and ends a stream of empty chunks", async () => {
  const app = quiet();
  app.Use(etag.New());
  app.Get("/fails", () =>
    new Response(
      new ReadableStream({
        async pull(controller) {
          await Promise.resolve();
          controller.error(new Error("inside"));
        },
      }, { highWaterMark: 0 }),
    ));
  app.Get("/empty", () =>
    new Response(
      new ReadableStream({
        pull(controller) {
          controller.enqueue(new Uint8Array());
        },
      }, { highWaterMark: 0 }),
    ));
  const failed = await app.fetch(new Request("http://localhost/fails"));
  assertEquals(failed.status === 500 || await failed.text().then(() => false, () => true), true);
  const empty = await app.fetch(new Request("http://localhost/empty"));
  assertEquals([empty.status, empty.headers.has("etag")], [200, false]);
  await empty.body?.cancel();
});

Deno.test("etag.New() tags a returned Response whose body is already available", async () => {
  const app = quiet();
  app.Use(etag.New());
  app.Get("/text", () => new Response("text"));
  app.Get("/json", () => Response.json({ a: 1 }));
  app.Get("/bytes", () => new Response(new Uint8Array(100_000)));
  for (const path of ["/text", "/json", "/bytes"]) {
    const response = await app.fetch(new Request(`http://localhost${path}`));
    assertEquals(response.headers.has("etag"), true, path);
    await response.body?.cancel();
  }
});

bothWays("etag.New() does not send the length of a stream of a mounted application in response to HEAD", () => {
  const [app, inner] = [quiet(), quiet()];
  inner.Get("/stream", (ctx) =>
    ctx.Stream(async function* () {
      yield "long";
      await new Promise((resolve) => setTimeout(resolve, 50));
    }));
  inner.Get("/text", (ctx) => ctx.WriteString("long"));
  app.Use(etag.New());
  app.Mount("/m", inner);
  return app;
}, async (ask) => {
  assertEquals((await ask("/m/stream", { method: "HEAD" })).headers.get("content-length"), null);
  assertEquals((await ask("/m/text", { method: "HEAD" })).headers.get("content-length"), "4");
});
