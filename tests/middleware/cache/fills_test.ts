import type * as fw from "@fw/web";
import * as cache from "@fw/web/middleware/cache";
import { assertEquals } from "@std/assert";
import { askInProcess, overSocket, quiet } from "../../serving.ts";

/** Creates an application whose first request hangs until it is released. */
function hanging(options: cache.Options = {}): { app: fw.Application; begun: Promise<void>; letGo: () => void } {
  const [begun, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let runs = 0;
  const app = quiet();
  app.Use(cache.New({ MaxAge: 60_000, ...options }));
  app.Get("/", async (ctx) => {
    const run = ++runs;
    if (run === 1) {
      begun.resolve();
      await gate.promise;
    }
    ctx.WriteString(`run ${run}`);
  });
  return { app, begun: begun.promise, letGo: gate.resolve };
}

Deno.test("cache.New() stops waiting for a request that hangs after MaxWait", async () => {
  const { app, begun, letGo } = hanging({ MaxWait: 200 });
  const first = askInProcess(app, "/");
  await begun;
  const second = await askInProcess(app, "/");
  assertEquals([second.status, second.text], [200, "run 2"]);
  assertEquals((await askInProcess(app, "/")).text, "run 2", "the page of the second is stored");
  letGo();
  assertEquals((await first).text, "run 1");
});

Deno.test("cache.New() stops waiting for a request whose client has disconnected", async () => {
  const { app, begun, letGo } = hanging({ MaxWait: 600_000 });
  await overSocket(app, async (ask, port) => {
    const connection = await Deno.connect({ hostname: "127.0.0.1", port });
    await connection.write(new TextEncoder().encode("GET / HTTP/1.1\r\nhost: localhost\r\n\r\n"));
    await begun;
    const second = ask("/");
    await new Promise((resolve) => setTimeout(resolve, 50));
    connection.close();
    assertEquals((await second).text, "run 2");
    letGo();
  });
});

Deno.test("cache.New() does not wait for the request of a client that has already disconnected", async () => {
  const { app, begun, letGo } = hanging({ MaxWait: 600_000 });
  await overSocket(app, async (ask, port) => {
    const connection = await Deno.connect({ hostname: "127.0.0.1", port });
    await connection.write(new TextEncoder().encode("GET / HTTP/1.1\r\nhost: localhost\r\n\r\n"));
    await begun;
    connection.close();
    await new Promise((resolve) => setTimeout(resolve, 50));
    assertEquals((await ask("/")).text, "run 2");
    letGo();
  });
});

Deno.test("cache.NewMemory() bounds keys of 60 KB and bodies that are a part of a buffer", () => {
  const store = cache.NewMemory(1 << 20);
  const response: cache.CachedResponse = {
    Status: 200,
    Headers: [],
    Body: new Uint8Array(1 << 19).subarray(0, 10),
    Stored: Date.now(),
    Fresh: 60_000,
    Vary: [],
    Public: false,
  };
  const key = (at: number) => `${at}${"x".repeat(60_000)}`;
  for (let at = 0; at < 3; at++) store.Set(key(at), response, 60_000);
  const kept = [0, 1, 2].filter((at) => store.Get(key(at)) !== undefined);
  assertEquals(kept, [2], "each holds half of the bytes");
});

Deno.test("cache.New() does not delay a stream, and stores it when it has ended if it is short enough", async () => {
  let runs = 0;
  const gate = Promise.withResolvers<void>();
  const app = quiet();
  app.Use(cache.New({ MaxAge: 60_000, MaxBody: 100 }));
  app.Get("/{length:int}", (ctx) => {
    runs++;
    const chunks = Array.from({ length: ctx.Params().GetIntDefault("length", 0) }, (_, at) => `chunk ${at} `);
    const encoder = new TextEncoder();
    return new Response(
      new ReadableStream({
        async pull(controller) {
          const chunk = chunks.shift();
          if (chunk === undefined) return controller.close();
          controller.enqueue(encoder.encode(chunk));
          await gate.promise;
        },
      }, { highWaterMark: 0 }),
    );
  });
  for (const [length, expected] of [[3, 1], [50, 2]] as const) {
    runs = 0;
    const response = await app.fetch(new Request(`http://localhost/${length}`));
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    const { value } = await reader.read();
    assertEquals(new TextDecoder().decode(value), "chunk 0 ", "before the stream has ended");
    gate.resolve();
    let text = "";
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      text += new TextDecoder().decode(read.value);
    }
    assertEquals(text.split("chunk").length, length);
    assertEquals((await askInProcess(app, `/${length}`)).text, `chunk 0 ${text}`);
    assertEquals(runs, expected);
  }
});

Deno.test("cache.New() stores no event stream and does not wait for one", async () => {
  let runs = 0;
  const app = quiet();
  app.Use(cache.New({ MaxAge: 60_000 }));
  app.Get("/", (ctx) => {
    runs++;
    ctx.ContentType("text/event-stream");
    ctx.Write(new TextEncoder().encode("data: 1\n\n"));
  });
  for (let visit = 0; visit < 2; visit++) await askInProcess(app, "/");
  assertEquals(runs, 2);
});

Deno.test("cache.New() does not wait for its own request if it is used twice", async () => {
  const once = cache.New({ MaxAge: 60_000, MaxWait: 600_000 });
  let runs = 0;
  const [app, inner] = [quiet(), quiet()];
  inner.Use(once);
  inner.Get("/page", (ctx) => ctx.WriteString(`run ${++runs}`));
  inner.Get("/stream", (ctx) => ctx.Stream(["run ", String(++runs)]));
  app.UseRouter(once);
  app.Get("/page", once, (ctx) => ctx.WriteString(`run ${++runs}`));
  app.Mount("/m", inner);
  await overSocket(app, async (ask) => {
    for (const path of ["/page", "/m/page", "/m/stream"]) {
      const { text } = await ask(path);
      assertEquals([text, (await ask(path)).text], [`run ${runs}`, `run ${runs}`], path);
    }
  });
  assertEquals(runs, 3);
});
