import { assertEquals, assertRejects } from "@std/assert";
import type * as fw from "../../../mod.ts";
import { bothWays, overSocket, quiet, sendBytes } from "../../serving.ts";

bothWays("Context.Stream() sends streams, iterables and generators of strings and bytes", () => {
  const app = quiet();
  const encoder = new TextEncoder();
  app.Get("/stream", (ctx) =>
    ctx.Stream(
      new ReadableStream({
        start(controller) {
          controller.enqueue(encoder.encode("a"));
          controller.enqueue(encoder.encode("b"));
          controller.close();
        },
      }),
    ));
  app.Get("/list", (ctx) => ctx.Stream(["grü", encoder.encode("ß"), "e"]));
  app.Get("/generator", (ctx) =>
    ctx.Stream(function* () {
      yield "a";
      yield "b";
    }()));
  app.Get("/async", (ctx) =>
    ctx.Stream(async function* () {
      yield "a";
      await Promise.resolve();
      yield encoder.encode("b");
    }()));
  app.Get("/empty", (ctx) => ctx.Stream([]));
  app.Get("/typed", (ctx) => (ctx.ContentType("text/event-stream"), ctx.Stream(["data: 1\n\n"])));
  return app;
}, async (ask) => {
  const bodies = { "/stream": "ab", "/list": "grüße", "/generator": "ab", "/async": "ab", "/empty": "" };
  for (const [path, body] of Object.entries(bodies)) {
    const response = await ask(path);
    assertEquals([response.text, response.headers.get("content-type")], [body, "application/octet-stream"], path);
  }
  const typed = await ask("/typed");
  assertEquals(typed.headers.get("content-type"), "text/event-stream; charset=utf-8");
});

Deno.test("Context.Stream() sends each chunk immediately", async () => {
  const app = quiet();
  const go = Promise.withResolvers<void>();
  app.Get("/", (ctx) =>
    ctx.Stream(async function* () {
      yield "first";
      await go.promise;
      yield "second";
    }()));
  await overSocket(app, async (_ask, port) => {
    const response = await fetch(`http://127.0.0.1:${port}/`);
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    assertEquals((await reader?.read())?.value, "first");
    go.resolve();
    assertEquals((await reader?.read())?.value, "second");
    assertEquals((await reader?.read())?.done, true);
  });
});

Deno.test("Context.Stream() pulls from its source no faster than the client reads", async () => {
  const app = quiet();
  let pulled = 0;
  app.Get("/", (ctx) =>
    ctx.Stream(function* () {
      for (;;) {
        pulled++;
        yield new Uint8Array(1);
      }
    }()));
  const response = await app.fetch(new Request("http://localhost/"));
  const reader = response.body?.getReader();
  for (let i = 0; i < 5; i++) await reader?.read();
  assertEquals(pulled <= 7, true, `pulled ${pulled} times for five reads`);
  await reader?.cancel();
});

Deno.test("Context.Stream() ends its source when the client disconnects", async () => {
  const app = quiet();
  const ended = Promise.withResolvers<string>();
  app.Get("/", (ctx) =>
    ctx.Stream(async function* () {
      try {
        for (;;) {
          yield new Uint8Array(1 << 16);
          await Promise.resolve();
        }
      } finally {
        ended.resolve("ended");
      }
    }()));
  await overSocket(app, async (_ask, port) => {
    const connection = await Deno.connect({ hostname: "127.0.0.1", port });
    await connection.write(new TextEncoder().encode("GET / HTTP/1.1\r\nhost: localhost\r\n\r\n"));
    await connection.read(new Uint8Array(1024));
    connection.close();
    assertEquals(await ended.promise, "ended");
  });
});

/** Sources that wait forever. Each of them can be notified that it should stop. */
const waiting: Readonly<Record<string, (told: () => void) => fw.StreamSource>> = {
  "a function of a generator, by its signal": (told) => (signal) =>
    async function* () {
      yield "first";
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      told();
    }(),
  "an iterator, by its return()": (told) => {
    const never = Promise.withResolvers<IteratorResult<string>>();
    let count = 0;
    return {
      [Symbol.asyncIterator]: () => ({
        next: () => count++ === 0 ? Promise.resolve({ done: false, value: "first" }) : never.promise,
        return: () => {
          told();
          return Promise.resolve({ done: true as const, value: undefined });
        },
      }),
    };
  },
};

for (const [what, create] of Object.entries(waiting)) {
  Deno.test(`Context.Stream() notifies ${what} that the client has disconnected while it waits`, async () => {
    const app = quiet();
    const told = Promise.withResolvers<void>();
    app.Get("/", (ctx) => ctx.Stream(create(told.resolve)));
    await overSocket(app, async (_ask, port) => {
      const connection = await Deno.connect({ hostname: "127.0.0.1", port });
      await connection.write(new TextEncoder().encode("GET / HTTP/1.1\r\nhost: localhost\r\n\r\n"));
      await connection.read(new Uint8Array(1024));
      connection.close();
      await told.promise;
    });
  });
}

Deno.test("Context.Stream() also notifies a generator through the context's signal", async () => {
  const app = quiet();
  const told = Promise.withResolvers<void>();
  app.Get("/", (ctx) => {
    const signal = ctx.Signal();
    ctx.Stream(async function* () {
      yield "first";
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      told.resolve();
    }());
  });
  await overSocket(app, async (_ask, port) => {
    const connection = await Deno.connect({ hostname: "127.0.0.1", port });
    await connection.write(new TextEncoder().encode("GET / HTTP/1.1\r\nhost: localhost\r\n\r\n"));
    await connection.read(new Uint8Array(1024));
    connection.close();
    await told.promise;
  });
});

Deno.test("Context.Stream() aborts the response if it fails, and the server continues", async () => {
  const app = quiet();
  app.Get("/", (ctx) =>
    ctx.Stream(async function* () {
      yield "half";
      await Promise.resolve();
      throw new Error("no more");
    }()));
  app.Get("/ok", (ctx) => ctx.WriteString("ok"));
  await assertRejects(async () => {
    const response = await app.fetch(new Request("http://localhost/"));
    await response.text();
  });
  await overSocket(app, async (ask, port) => {
    const bytes = await sendBytes(port, new TextEncoder().encode("GET / HTTP/1.1\r\nhost: localhost\r\n\r\n"));
    assertEquals(new TextDecoder().decode(bytes).endsWith("0\r\n\r\n"), false);
    assertEquals((await ask("/ok")).text, "ok");
  });
});

bothWays("Context.Stream() responds with 500 if the stream is already locked", () => {
  const app = quiet();
  app.Get("/", (ctx) => {
    const stream = new ReadableStream<Uint8Array<ArrayBuffer>>();
    stream.getReader();
    ctx.Stream(stream);
  });
  return app;
}, async (ask) => {
  assertEquals((await ask("/")).status, 500);
});

Deno.test("Context.Stream() disables the buffering of nginx if configured", async () => {
  const app = quiet();
  app.Get("/", (ctx) => ctx.Stream(["a"], { Unbuffered: true }));
  app.Get("/held", (ctx) => ctx.Stream(["a"]));
  const header = async (path: string) => {
    const response = await app.fetch(new Request(`http://localhost${path}`));
    await response.text();
    return response.headers.get("x-accel-buffering");
  };
  assertEquals([await header("/"), await header("/held")], ["no", null]);
});
