import * as compress from "@fw/web/middleware/compress";
import { assert, assertEquals, assertLess } from "@std/assert";
import { get } from "node:http";
import type { Transform } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from "node:zlib";
import { overSocket, quiet } from "../../serving.ts";

const decoders: Readonly<Record<string, () => Transform>> = {
  zstd: createZstdDecompress,
  br: createBrotliDecompress,
  gzip: createGunzip,
  deflate: createInflate,
};
const types = ["text/plain", "text/html", "text/csv", "application/json", "application/x-ndjson", "application/jsonl"];

/** Decodes a response and returns its chunks one by one. */
async function* decoded(url: string, coding: string): AsyncGenerator<string> {
  const decoder = decoders[coding]?.() as Transform;
  const request = get(url, { agent: false, headers: { "accept-encoding": coding } }, (response) => {
    assertEquals(response.headers["content-encoding"], coding);
    response.pipe(decoder);
  });
  request.on("error", (error) => decoder.destroy(error));
  for await (const chunk of decoder) yield String(chunk);
}

for (const coding of Object.keys(decoders)) {
  for (const type of types) {
    Deno.test(`compress.New() sends each chunk of ${type} at once with ${coding}`, async () => {
      const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const app = quiet();
      app.UseRouter(compress.New());
      app.Get("/", (ctx) => {
        ctx.ContentType(type);
        ctx.Stream(async function* () {
          yield "first";
          await gates[0]?.promise;
          yield "second, ";
          yield "third";
          await gates[1]?.promise;
          yield "last";
        });
      });
      await overSocket(app, async (_ask, port) => {
        const chunks = decoded(`http://127.0.0.1:${port}/`, coding);
        const read = async (text: string) => {
          let all = "";
          while (all.length < text.length) all += (await chunks.next()).value;
          assertEquals(all, text);
        };
        await read("first");
        gates[0]?.resolve();
        await read("second, third");
        gates[1]?.resolve();
        await read("last");
        assertEquals((await chunks.next()).done, true);
      });
    });
  }

  Deno.test(`compress.New() does not flush chunks that are available at once with ${coding}`, async () => {
    const line = (index: number) => `${index},"All the tea in China",${index * 7}\n`;
    const lines = Array.from({ length: 20_000 }, (_, index) => line(index));
    const app = quiet();
    app.UseRouter(compress.New());
    app.Get("/lines", (ctx) => {
      ctx.ContentType("text/csv");
      ctx.Stream(function* () {
        yield* lines;
      });
    });
    app.Get("/slow-lines", (ctx) => {
      ctx.ContentType("text/csv");
      ctx.Stream(async function* () {
        yield* lines;
      });
    });
    app.Get("/whole", (ctx) => {
      ctx.ContentType("text/csv");
      ctx.WriteString(lines.join(""));
    });
    const sizeOf = async (path: string) => {
      const request = new Request(`http://localhost${path}`, { headers: { "accept-encoding": coding } });
      return (await (await app.fetch(request)).bytes()).length;
    };
    const whole = await sizeOf("/whole");
    assertLess(await sizeOf("/lines"), whole * 1.2);
    assertLess(await sizeOf("/slow-lines"), whole * 1.2);
  });
}

Deno.test("compress.New() fails the response if its source fails after the first chunk", async () => {
  const app = quiet();
  app.UseRouter(compress.New());
  app.Get("/", (ctx) => {
    ctx.ContentType("text/plain");
    ctx.Stream(async function* () {
      yield "first";
      await new Promise((resolve) => setTimeout(resolve));
      throw new Error("no more");
    });
  });
  const response = await app.fetch(new Request("http://localhost/", { headers: { "accept-encoding": "br" } }));
  const result = await response.bytes().catch((error) => error);
  assert(result instanceof Error, "the stream did not fail");
});

Deno.test("compress.New() slows down its source if the client does not read", async () => {
  let written = 0;
  const app = quiet();
  app.UseRouter(compress.New());
  app.Get("/", (ctx) => {
    ctx.ContentType("text/plain");
    ctx.Stream(async function* () {
      for (;; written++) {
        yield crypto.getRandomValues(new Uint8Array(16_384)).toBase64();
        await new Promise((resolve) => setTimeout(resolve));
      }
    });
  });
  const response = await app.fetch(new Request("http://localhost/", { headers: { "accept-encoding": "gzip" } }));
  const reader = response.body?.getReader();
  await reader?.read();
  for (let before = -1; before !== written;) {
    before = written;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  assertLess(written, 40);
  await reader?.cancel();
});
