import { assertEquals, assertRejects, assertStringIncludes, assertThrows } from "@std/assert";
import * as fw from "../../../mod.ts";
import { bothWays, overSocket, quiet, sendBytes } from "../../serving.ts";

/** Returns the serialized form of an event, without the comment that opens the stream. */
async function sent(event: unknown): Promise<string> {
  const app = quiet();
  app.Get("/", (ctx) => ctx.Events([event]));
  const text = await (await app.fetch(new Request("http://localhost/"))).text();
  assertEquals(text.startsWith(":\n\n"), true, text);
  return text.slice(3);
}

const events: readonly [name: string, event: unknown, expected: string][] = [
  ["a text", "hello", "data: hello\n\n"],
  ["an empty text", "", "data: \n\n"],
  ["lines, whatever they end with", "a\nb\r\nc\rd\n", "data: a\ndata: b\ndata: c\ndata: d\ndata: \n\n"],
  ["a text that looks like an event", "x\n\nevent: y", "data: x\ndata: \ndata: event: y\n\n"],
  ["an object", { a: [1, null] }, 'data: {"a":[1,null]}\n\n'],
  ["a bigint", { id: 5n }, 'data: {"id":5}\n\n'],
  ["nothing", null, "data: null\n\n"],
  [
    "an event of everything",
    fw.NewEvent("x", { ID: "7", Name: "n", Retry: 0 }),
    "id: 7\nevent: n\nretry: 0\ndata: x\n\n",
  ],
  ["an event without options", fw.NewEvent({ a: 1 }), 'data: {"a":1}\n\n'],
];

for (const [name, event, expected] of events) {
  Deno.test(`Context.Events() sends ${name}`, async () => assertEquals(await sent(event), expected));
}

bothWays("Context.Events() sends iterables and generators with the right content type", () => {
  const app = quiet();
  app.Get("/list", (ctx) => ctx.Events(["a", "b"], { Retry: 500 }));
  app.Get("/generator", (ctx) =>
    ctx.Events(async function* () {
      yield "a";
      await Promise.resolve();
      yield "b";
    }));
  return app;
}, async (ask) => {
  const list = await ask("/list");
  assertEquals(list.text, "retry: 500\n\ndata: a\n\ndata: b\n\n");
  assertEquals(list.headers.get("content-type"), "text/event-stream");
  assertEquals(list.headers.get("cache-control"), "no-cache");
  assertEquals((await ask("/generator")).text, ":\n\ndata: a\n\ndata: b\n\n");
});

bothWays("Context.Events() passes the last event ID to its source", () => {
  const app = quiet();
  app.Get("/", (ctx) => ctx.Events((lastID) => [lastID]));
  return app;
}, async (ask) => {
  assertEquals((await ask("/")).text, ":\n\ndata: \n\n");
  assertEquals((await ask("/", { headers: { "last-event-id": "7" } })).text, ":\n\ndata: 7\n\n");
});

Deno.test("Context.Events() reads Last-Event-ID in UTF-8, as browsers send it", async () => {
  const app = quiet();
  app.Get("/", (ctx) => ctx.Events((lastID) => [lastID]));
  await overSocket(app, async (_ask, port) => {
    const request = "GET / HTTP/1.1\r\nhost: localhost\r\nlast-event-id: größe\r\nconnection: close\r\n\r\n";
    const text = new TextDecoder().decode(await sendBytes(port, new TextEncoder().encode(request)));
    assertStringIncludes(text, "data: größe\n");
  });
});

Deno.test("NewEvent() rejects values that would break the lines of the stream", () => {
  for (const text of ["a\nb", "a\rb", "a\0b"]) {
    assertThrows(() => fw.NewEvent("x", { ID: text }), fw.FrameworkError, "Cannot send an event: its id");
    assertThrows(() => fw.NewEvent("x", { Name: text }), fw.FrameworkError, "Cannot send an event: its name");
  }
  assertThrows(
    () => fw.NewEvent("x", { Retry: 1.5 }),
    fw.FrameworkError,
    '"Retry" of an event: it must be a non-negative integer, not 1.5',
  );
});

Deno.test("Context.Events() rejects a negative heartbeat", async () => {
  const app = quiet();
  app.Get("/", (ctx) => ctx.Events([], { Heartbeat: -1 }));
  assertEquals((await app.fetch(new Request("http://localhost/"))).status, 500);
});

/** Reads a stream of strings chunk by chunk. */
function partsOf(response: Response): ReadableStreamDefaultReader<string> {
  if (response.body === null) throw new Error("The response has no body");
  return response.body.pipeThrough(new TextDecoderStream()).getReader();
}

Deno.test("Context.Events() sends a heartbeat while its source is silent", async () => {
  const app = quiet();
  const go = Promise.withResolvers<string>();
  app.Get("/", (ctx) =>
    ctx.Events(async function* () {
      yield await go.promise;
    }, { Heartbeat: 5 }));
  const reader = partsOf(await app.fetch(new Request("http://localhost/")));
  for (let i = 0; i < 4; i++) assertEquals((await reader.read()).value, ":\n\n");
  go.resolve("late");
  let { value } = await reader.read();
  while (value === ":\n\n") ({ value } = await reader.read());
  assertEquals(value, "data: late\n\n");
  assertEquals((await reader.read()).done, true);
});

Deno.test("Context.Events() notifies its source with signal and return() that the client has disconnected", async () => {
  const app = quiet();
  const told = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const;
  app.Get("/", (ctx) =>
    ctx.Events((_, signal) => {
      signal.addEventListener("abort", () => told[0].resolve());
      const never = new Promise<IteratorResult<string>>(() => {});
      return {
        [Symbol.asyncIterator]: () => ({
          next: () => never,
          return: () => {
            told[1].resolve();
            return Promise.resolve({ done: true, value: undefined });
          },
        }),
      };
    }));
  await overSocket(app, async (_ask, port) => {
    const connection = await Deno.connect({ hostname: "127.0.0.1", port });
    await connection.write(new TextEncoder().encode("GET / HTTP/1.1\r\nhost: localhost\r\n\r\n"));
    await connection.read(new Uint8Array(1024));
    connection.close();
    await Promise.all(told.map(({ promise }) => promise));
  });
});

Deno.test("Context.Events() ends when a shutdown begins, so that browsers reconnect to another process", async () => {
  const app = quiet();
  app.Get("/", (ctx) => ctx.Events(() => ({ [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => {}) }) })));
  const port = Promise.withResolvers<number>();
  const running = app.Run(fw.Addr("127.0.0.1:0"), fw.WithOnListen((addr) => port.resolve((addr as Deno.NetAddr).port)));
  const response = await fetch(`http://127.0.0.1:${await port.promise}/`);
  const reader = partsOf(response);
  assertEquals((await reader.read()).value, ":\n\n");
  await Promise.all([app.Shutdown(), reader.read().then(({ done }) => assertEquals(done, true))]);
  assertEquals(await running, null);
});

Deno.test("Context.Events() aborts the response if its source fails, without exposing the reason", async () => {
  const app = quiet();
  app.Get("/", (ctx) =>
    ctx.Events(function* () {
      yield "half";
      throw new Error("sesame");
    }));
  await assertRejects(async () => await (await app.fetch(new Request("http://localhost/"))).text());
});

Deno.test("Context.Events() pulls from its source no faster than the client reads", async () => {
  const app = quiet();
  let pulled = 0;
  app.Get("/", (ctx) =>
    ctx.Events(function* () {
      for (;;) yield String(pulled++);
    }));
  const reader = partsOf(await app.fetch(new Request("http://localhost/")));
  for (let i = 0; i < 5; i++) await reader.read();
  assertEquals(pulled <= 10, true, `pulled ${pulled} times for five reads`);
  await reader.cancel();
});

Deno.test("Context.Events() encodes an event that many clients receive once", async () => {
  let encoded = 0;
  const price = fw.NewEvent({ toJSON: () => ({ cents: 150, encoded: ++encoded }) });
  const app = fw.New();
  app.Get("/", (ctx) => ctx.Events([price]));
  for (let client = 0; client < 3; client++) {
    const response = await app.fetch(new Request("http://localhost/"));
    assertEquals(await response.text(), ':\n\ndata: {"cents":150,"encoded":1}\n\n');
  }
});

Deno.test("Context.Events() creates one timer for the heartbeats of a stream, however many events it sends", async () => {
  const { setTimeout } = globalThis;
  let timers = 0;
  globalThis.setTimeout = ((...given: Parameters<typeof setTimeout>) => {
    timers++;
    return setTimeout(...given);
  }) as typeof setTimeout;
  try {
    const app = fw.New();
    app.Get("/", (ctx) => ctx.Events(Array(100).fill("tea")));
    const response = await app.fetch(new Request("http://localhost/"));
    assertEquals((await response.text()).match(/data: tea/g)?.length, 100);
    assertEquals(timers, 1);
  } finally {
    globalThis.setTimeout = setTimeout;
  }
});
