import { assert, assertEquals, assertMatch } from "@std/assert";
import * as fw from "../../../mod.ts";
import { behindProxy } from "./upstream.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Creates a stream that a test writes to. */
function pipe(): {
  readable: ReadableStream<Uint8Array>;
  write: (text: string) => void;
  close: () => void;
  gone: Promise<void>;
} {
  const gone = Promise.withResolvers<void>();
  let controller: ReadableStreamDefaultController<Uint8Array>;
  const readable = new ReadableStream<Uint8Array>({
    start: (it) => void (controller = it),
    cancel: () => gone.resolve(),
  });
  return {
    readable,
    write: (text) => controller.enqueue(encoder.encode(text)),
    close: () => controller.close(),
    gone: gone.promise,
  };
}

Deno.test("Proxy() streams an upload to an upstream server, which starts reading before it ends", async () => {
  const received = Promise.withResolvers<string>();
  const upload = pipe();
  await behindProxy(
    async (request) => {
      const reader = (request.body as ReadableStream<Uint8Array>).getReader();
      received.resolve(decoder.decode((await reader.read()).value));
      let length = 0;
      for (let read = await reader.read(); !read.done; read = await reader.read()) length += read.value.length;
      return new Response(String(length));
    },
    (app, upstream) => void app.Post("/", fw.Proxy(upstream)),
    async (origin) => {
      upload.write("first");
      const response = fetch(origin, { method: "POST", body: upload.readable });
      assertEquals(await received.promise, "first");
      for (let i = 0; i < 64; i++) upload.write("x".repeat(16_384));
      upload.close();
      assertEquals(await (await response).text(), String(64 * 16_384));
    },
  );
});

Deno.test("Proxy() waits for a client that uploads slowly, and does not read ahead of a slow upstream server", async () => {
  const upload = pipe();
  const go = Promise.withResolvers<void>();
  await behindProxy(
    async (request) => {
      await go.promise;
      return new Response(await request.text());
    },
    (app, upstream) => void app.Post("/", fw.Proxy(upstream, { Timeout: 600 })),
    async (origin) => {
      upload.write("a");
      const response = fetch(origin, { method: "POST", body: upload.readable });
      // Together, the parts take longer than the time limit.
      for (const text of ["b", "c", "d", "e"]) {
        await new Promise((resolve) => setTimeout(resolve, 200));
        upload.write(text);
      }
      go.resolve();
      upload.close();
      assertEquals(await (await response).text(), "abcde");
    },
  );
});

Deno.test("Proxy() passes on server-sent events as they arrive, and ends them at a shutdown", async () => {
  const events = pipe();
  await behindProxy(
    () => new Response(events.readable, { headers: { "content-type": "text/event-stream" } }),
    (app, upstream) => void app.Get("/events", fw.Proxy(upstream)),
    async (origin, { app, lines }) => {
      const response = await fetch(`${origin}/events`);
      const reader = (response.body as ReadableStream<Uint8Array>).getReader();
      for (const text of ["data: 1\n\n", "data: 2\n\n"]) {
        events.write(text);
        assertEquals(decoder.decode((await reader.read()).value), text);
      }
      const [end] = await Promise.all([reader.read(), app.Shutdown()]);
      assertEquals(end.done, true);
      await events.gone;
      assertEquals(lines.filter((line) => line.includes("Cannot")), []);
    },
  );
});

Deno.test("Proxy() ends the request to the upstream server if the client leaves", async () => {
  const started = Promise.withResolvers<void>();
  const aborted = Promise.withResolvers<void>();
  const events = pipe();
  await behindProxy(
    (request) => {
      if (new URL(request.url).pathname === "/body") return new Response(events.readable);
      request.signal.addEventListener("abort", () => aborted.resolve());
      started.resolve();
      return new Promise<Response>((resolve) => aborted.promise.then(() => resolve(new Response())));
    },
    (app, upstream) => void app.Get("/{path:path}", fw.Proxy(upstream)),
    async (origin, { lines }) => {
      const waiting = new AbortController();
      const response = fetch(`${origin}/wait`, { signal: waiting.signal }).catch(() => "left");
      await started.promise;
      waiting.abort();
      assertEquals(await response, "left");
      await aborted.promise;

      const reading = new AbortController();
      const body = await fetch(`${origin}/body`, { signal: reading.signal });
      const reader = (body.body as ReadableStream<Uint8Array>).getReader();
      events.write("x");
      await reader.read();
      reading.abort();
      await reader.read().catch(() => {});
      // The server notices the disconnect when it writes.
      const timer = setInterval(() => events.write("y"), 5);
      await events.gone;
      clearInterval(timer);
      assertEquals(lines.filter((line) => line.includes("502") || line.includes("Cannot finish")), []);
    },
  );
});

Deno.test("Proxy() breaks off a response that the upstream server does not finish", async () => {
  const events = pipe();
  await behindProxy(
    () => new Response(events.readable),
    (app, upstream) => void app.Get("/", fw.Proxy(upstream, { IdleTimeout: 50 })),
    async (origin, { lines }) => {
      const response = await fetch(origin);
      events.write("x");
      assertEquals(await response.text().catch(() => "broken"), "broken");
      assert(lines.some((line) => line.includes("sent nothing for 50 ms")), lines.join("\n"));
    },
  );
  // Deno.serve reports the stream as canceled.
  await events.gone;
});

Deno.test("Proxy() lets a response finish during a shutdown", async () => {
  const started = Promise.withResolvers<void>();
  const go = Promise.withResolvers<void>();
  await behindProxy(
    async () => {
      started.resolve();
      await go.promise;
      return new Response("done");
    },
    (app, upstream) => void app.Get("/", fw.Proxy(upstream)),
    async (_origin, { app }) => {
      const { promise, resolve } = Promise.withResolvers<number>();
      const running = app.Run(fw.Addr("127.0.0.1:0"), fw.WithOnListen((addr) => resolve((addr as Deno.NetAddr).port)));
      const response = fetch(`http://127.0.0.1:${await promise}/`);
      await started.promise;
      const stopped = app.Shutdown();
      go.resolve();
      assertEquals(await (await response).text(), "done");
      await stopped;
      await running;
    },
  );
});

// Deno never completes the read of a request that has a response (denoland/deno#36624).
Deno.test("Proxy() responds with 504 if the upload stalls", { sanitizeOps: false }, async () => {
  await behindProxy(
    async (request) => new Response(await request.text().catch(() => "")),
    (app, upstream) => void app.Post("/", fw.Proxy(upstream, { Timeout: 100 })),
    async (origin) => {
      const { hostname, port } = new URL(origin);
      using connection = await Deno.connect({ hostname, port: Number(port) });
      const head = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nfirst\r\n";
      await connection.write(encoder.encode(head));
      const [line] = decoder.decode((await connection.readable.getReader().read()).value).split("\r\n");
      assertEquals(line, "HTTP/1.1 504 Gateway Timeout");
    },
  );
});

Deno.test("Proxy() finishes an upload to a server that responds before it has read the body", async () => {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const total = 4_000_000;
  const received = Promise.withResolvers<number>();
  // Deno's server stops reading when it has responded, so it cannot be used here.
  const serving = (async () => {
    const connection = await listener.accept();
    const buffer = new Uint8Array(65_536);
    let count = -1;
    for (let length = await connection.read(buffer); length !== null; length = await connection.read(buffer)) {
      if (count < 0) {
        await connection.write(new TextEncoder().encode("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok"));
        count = 0;
      }
      for (const byte of buffer.subarray(0, length)) if (byte === 7) count++;
      if (count >= total) break;
    }
    received.resolve(count);
    connection.close();
  })();
  const client = Deno.createHttpClient({});
  const app = fw.New();
  app.Post("/up", fw.Proxy(`http://127.0.0.1:${listener.addr.port}`, { Client: client }));
  const front = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, app.fetch);
  // The client sends the whole body although the response has arrived, as browsers do.
  const connection = await Deno.connect({ hostname: "127.0.0.1", port: front.addr.port });
  const head = `POST /up HTTP/1.1\r\nhost: a\r\nconnection: close\r\ncontent-length: ${total}\r\n\r\n`;
  await connection.write(new TextEncoder().encode(head));
  const chunk = new Uint8Array(50_000).fill(7);
  for (let sent = 0; sent < total; sent += chunk.length) {
    for (let at = 0; at < chunk.length;) at += await connection.write(chunk.subarray(at));
  }
  const text = await new Response(connection.readable).text();
  assertMatch(text, /^HTTP\/1\.1 200 [^]*ok$/);
  assertEquals(await received.promise, total);
  await front.shutdown();
  client.close();
  listener.close();
  await serving;
});
