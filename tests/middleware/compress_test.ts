import { assertEquals, assertThrows } from "@std/assert";
import { brotliDecompressSync, gunzipSync, gzipSync, inflateSync, zstdDecompressSync } from "node:zlib";
import * as compress from "@fw/web/middleware/compress";
import { bothWays, overSocket, quiet } from "../serving.ts";
import * as fw from "@fw/web";

const text = "All the tea in China. ".repeat(200);
const decode: Readonly<Record<string, (bytes: Uint8Array) => Uint8Array>> = {
  zstd: (bytes) => zstdDecompressSync(bytes),
  br: (bytes) => brotliDecompressSync(bytes),
  gzip: (bytes) => gunzipSync(bytes),
  deflate: (bytes) => inflateSync(bytes),
};

function newApp(options: compress.Options = {}): fw.Application {
  const app = quiet();
  app.UseRouter(compress.New(options));
  app.Get("/text", (ctx) => ctx.WriteString(text));
  app.Get("/json", (ctx) => ctx.JSON({ text }));
  app.Get("/short", (ctx) => ctx.WriteString("short"));
  app.Get("/stream", (ctx) => {
    ctx.ContentType("text/plain");
    ctx.Stream(Array.from({ length: 20 }, () => text));
  });
  app.Get("/response", () => new Response(text, { headers: { "content-type": "text/css", "etag": '"x"' } }));
  app.Get("/image", (ctx) => {
    ctx.ContentType("image/png");
    ctx.Write(new TextEncoder().encode(text));
  });
  app.Get("/events", (ctx) => {
    ctx.ContentType("text/event-stream");
    ctx.Stream([text]);
  });
  app.Get("/fixed", (ctx) => {
    ctx.Header("cache-control", "public, no-transform");
    ctx.WriteString(text);
  });
  app.Get("/done", (ctx) => {
    ctx.Header("content-encoding", "gzip");
    ctx.Write(new Uint8Array(packed));
  });
  app.Get("/part", (ctx) => {
    ctx.StatusCode(206);
    ctx.Header("content-range", `bytes 0-${text.length - 1}/${text.length}`);
    ctx.WriteString(text);
  });
  app.Get("/tagged", (ctx) => {
    ctx.Header("etag", '"strong"');
    ctx.AddHeader("vary", "accept-language");
    ctx.WriteString(text);
  });
  app.Get("/fails", (ctx) => ctx.StopWithText(500, text));
  return app;
}

const packed = new Uint8Array(2000);

for (const coding of ["zstd", "br", "gzip", "deflate"]) {
  bothWays(
    `compress.New() compresses text, JSON, streams and returned responses with ${coding}`,
    newApp,
    async (ask) => {
      for (
        const [path, expected] of [["/text", text], ["/json", JSON.stringify({ text })], ["/response", text], [
          "/stream",
          text.repeat(20),
        ], ["/fails", text]] as const
      ) {
        const response = await ask(path, { headers: { "accept-encoding": coding } });
        assertEquals(response.headers.get("content-encoding"), coding, path);
        assertEquals(new TextDecoder().decode(decode[coding]?.(response.bytes)), expected, path);
        assertEquals(response.headers.get("vary"), "accept-encoding");
      }
    },
  );
}

bothWays("compress.New() does not change responses that do not shrink or must not change", newApp, async (ask) => {
  const headers = { "accept-encoding": "gzip, br, zstd" };
  for (const path of ["/short", "/image", "/events", "/fixed", "/part"]) {
    const response = await ask(path, { headers });
    assertEquals(response.headers.get("content-encoding"), null, path);
    assertEquals(response.headers.get("vary"), null, path);
  }
  assertEquals((await ask("/done", { headers })).headers.get("content-encoding"), "gzip");
  assertEquals((await ask("/text")).text, text);
  assertEquals((await ask("/text")).headers.get("vary"), "accept-encoding");
});

bothWays("compress.New() weakens strong tags and keeps Vary", newApp, async (ask) => {
  const tagged = await ask("/tagged", { headers: { "accept-encoding": "gzip" } });
  assertEquals(tagged.headers.get("etag"), 'W/"strong"');
  assertEquals(tagged.headers.get("vary"), "accept-language, accept-encoding");
  assertEquals((await ask("/response", { headers: { "accept-encoding": "br" } })).headers.get("etag"), 'W/"x"');
  assertEquals((await ask("/tagged")).headers.get("etag"), '"strong"');
});

bothWays("compress.New() fails with HEAD as with GET if the body of a response has been read", () => {
  const app = quiet();
  app.UseRouter(compress.New());
  app.Get("/", async () => {
    const response = new Response(text, { headers: { "content-type": "text/plain" } });
    await response.text();
    return response;
  });
  return app;
}, async (ask) => {
  for (const method of ["GET", "HEAD"]) {
    assertEquals((await ask("/", { method, headers: { "accept-encoding": "gzip" } })).status, 500, method);
  }
});

bothWays("compress.New() sends the same headers for HEAD, and no body", newApp, async (ask) => {
  const head = await ask("/text", { method: "HEAD", headers: { "accept-encoding": "gzip" } });
  assertEquals([head.headers.get("content-encoding"), head.text], ["gzip", ""]);
});

bothWays(
  "compress.New() accepts custom codings, sizes and types",
  () => newApp({ Codings: ["deflate"], MinBody: 1, Types: (type) => type === "image/png" || type === "text/plain" }),
  async (ask) => {
    const headers = { "accept-encoding": "gzip, deflate" };
    assertEquals((await ask("/short", { headers })).headers.get("content-encoding"), "deflate");
    assertEquals((await ask("/image", { headers })).headers.get("content-encoding"), "deflate");
    assertEquals((await ask("/json", { headers })).headers.get("content-encoding"), null);
  },
);

Deno.test("compress.New() rejects an unknown coding", () => {
  const codings = ["lzw"] as unknown as compress.Coding[];
  assertThrows(() => compress.New({ Codings: codings }), Error, 'Cannot compress with "lzw"');
});

Deno.test("compress.New() cancels its source if the client disconnects during a stream", async () => {
  const app = quiet();
  const gone = Promise.withResolvers<void>();
  app.UseRouter(compress.New());
  app.Get("/", (ctx) => {
    ctx.ContentType("text/plain");
    const random = new Uint8Array(65536);
    ctx.Stream(
      new ReadableStream({
        pull(controller) {
          crypto.getRandomValues(random);
          controller.enqueue(random.slice());
        },
        cancel: () => gone.resolve(),
      }),
    );
  });
  await overSocket(app, async (_ask, port) => {
    const connection = await Deno.connect({ hostname: "127.0.0.1", port });
    await connection.write(
      new TextEncoder().encode("GET / HTTP/1.1\r\nhost: localhost\r\naccept-encoding: gzip\r\n\r\n"),
    );
    await connection.read(new Uint8Array(1000));
    connection.close();
    await gone.promise;
  });
});

Deno.test("fw.Compression compresses responses and decompresses request bodies", async () => {
  const app = quiet();
  app.Use(fw.Compression);
  app.Post("/", async (ctx) => {
    const [value, error] = await ctx.ReadJSON();
    ctx.JSON(error === null ? { value, filler: "x".repeat(2000) } : { error: error.message });
  });
  for (const length of [3, 5]) {
    const packed = new Uint8Array(gzipSync(JSON.stringify("tea".repeat(length))));
    const headers = { "content-encoding": "gzip", "content-type": "application/json", "accept-encoding": "br" };
    const response = await app.fetch(new Request("http://localhost/", { method: "POST", headers, body: packed }));
    assertEquals([response.status, response.headers.get("content-encoding")], [200, "br"]);
    const { value } = JSON.parse(brotliDecompressSync(await response.bytes()).toString());
    assertEquals(value, "tea".repeat(length));
    const plain = await app.fetch(new Request("http://localhost/", { method: "POST", body: '"cup"' }));
    assertEquals([plain.headers.get("content-encoding"), (await plain.json()).value], [null, undefined]);
  }
});
