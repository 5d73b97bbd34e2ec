import { fromFileUrl } from "@std/path";
import { assert, assertEquals } from "@std/assert";
import { AsyncLocalStorage } from "node:async_hooks";
import type * as fw from "../../../../mod.ts";
import * as mvc from "../../../../mvc/mod.ts";
import * as cache from "../../../../src/middleware/cache/mod.ts";
import * as live from "../../../../src/live/hub/mod.ts";
import * as websocket from "../../../../src/live/websocket/mod.ts";
import { overSocket, quiet } from "../../../serving.ts";

const users = new AsyncLocalStorage<string>();
const probe = fromFileUrl(new URL("./context_probe.ts", import.meta.url));

function user(): string {
  return users.getStore() ?? "nobody";
}

/** Creates an application that runs the handlers in the asynchronous context of the user in the header `x-user`. */
function named(): fw.Application {
  const app = quiet();
  app.UseRouter((ctx) => users.run(ctx.GetHeader("x-user"), () => ctx.Next()));
  return app;
}

/** The status codes of bob's requests, unless they are 200. */
const statuses: Readonly<Record<string, number>> = {
  missingView: 500,
  error: 500,
  development: 500,
  timeout: 503,
  socket: 101,
};

Deno.test("Application.fetch() starts no request in the context of an earlier one", async () => {
  const options = { args: ["run", "-A", "--no-check", "--lock=deno.lock", probe] };
  const { stdout, stderr } = await new Deno.Command(Deno.execPath(), options).output();
  const text = new TextDecoder().decode(stdout);
  assert(text !== "", new TextDecoder().decode(stderr));
  const outcomes: Record<string, unknown> = JSON.parse(text);
  const expected = Object.keys(outcomes).map((name) => [name, { status: statuses[name] ?? 200, starts: ["nobody"] }]);
  assertEquals(outcomes, Object.fromEntries(expected));
  assert(expected.length > 20);
});

/** Sends requests of 400 users at the same time, and asserts that each response consists of the user's name. */
async function assertOwn(app: fw.Application, read: (text: string) => readonly string[]): Promise<void> {
  await overSocket(app, async (_ask, port) => {
    const names = Array.from({ length: 400 }, (_, i) => `user${i}`);
    await Promise.all(names.map(async (name) => {
      const response = await fetch(`http://127.0.0.1:${port}/`, { headers: { "x-user": name } });
      const seen = read(await response.text());
      assert(seen.length > 0 && seen.every((each) => each === name), `${name} got ${seen}`);
    }));
  });
}

function lines(text: string): readonly string[] {
  return text.split("\n").filter((line) => line !== "");
}

async function* reports(): AsyncGenerator<string> {
  for (let i = 0; i < 3; i++) {
    yield `${user()}\n`;
    await new Promise((resolve) => setTimeout(resolve, i));
  }
}

Deno.test("Context.Stream() reads a generator in the context of its call", async () => {
  const app = named();
  app.Get("/", (ctx) => ctx.Stream(reports()));
  await assertOwn(app, lines);
});

Deno.test("Context.Stream() calls a function and reads its generator in the context of its call", async () => {
  const app = named();
  app.Get("/", (ctx) => ctx.Stream(() => reports()));
  await assertOwn(app, lines);
});

Deno.test("Context.Stream() reads a stream in the context of its call", async () => {
  const app = named();
  app.Get("/", (ctx) => {
    let count = 0;
    const source = {
      async pull(controller: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>) {
        await new Promise((resolve) => setTimeout(resolve, 1));
        controller.enqueue(new TextEncoder().encode(`${user()}\n`));
        if (++count === 3) controller.close();
      },
    };
    ctx.Stream(new ReadableStream(source, { highWaterMark: 0 }));
  });
  await assertOwn(app, lines);
});

Deno.test("Context.Events() reads its events in the context of its call", async () => {
  const app = named();
  app.Get("/", (ctx) =>
    ctx.Events(async function* () {
      for await (const line of reports()) yield line.trim();
    }));
  await assertOwn(app, (text) => lines(text).filter((line) => line.startsWith("data: ")).map((line) => line.slice(6)));
});

Deno.test("mvc reads the generator of a method in the context of its call", async () => {
  class ReportController {
    Get() {
      return reports();
    }
  }
  const app = named();
  mvc.New(app).Handle(ReportController);
  await assertOwn(app, lines);
});

Deno.test("Recorder.Transform() transforms a body in the context of its call", async () => {
  const app = named();
  app.Get("/", (ctx) => {
    const { writable, readable } = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
      transform: (_chunk, controller) => controller.enqueue(new TextEncoder().encode(`${user()}\n`)),
    });
    ctx.Recorder().Transform((body) => body.pipeThrough({ writable, readable }));
    ctx.Stream(["a", "b"]);
  });
  await assertOwn(app, lines);
});

/** Asks for a path as bob, and returns the names that the handlers have noted until the server has shut down. */
async function notedBy(
  register: (app: fw.Application, note: (event: string) => void) => void,
  init: RequestInit = {},
): Promise<string[]> {
  const noted: string[] = [];
  const app = named();
  register(app, (event) => noted.push(`${event}: ${user()}`));
  await overSocket(app, async (_ask, port) => {
    const response = await fetch(`http://127.0.0.1:${port}/`, { ...init, headers: { "x-user": "bob" } });
    await response.text();
  });
  await app.Shutdown();
  return noted;
}

Deno.test("Context.OnClose() runs its function in the context in which it was registered", async () => {
  const noted = await notedBy((app, note) => {
    app.Get("/", (ctx) => {
      ctx.OnClose(() => note("first"));
      users.run("inner", () =>
        ctx.OnClose(async () => {
          await Promise.resolve();
          note("second");
        }));
      ctx.WriteString("tea");
    });
  });
  assertEquals(noted, ["second: inner", "first: bob"]);
});

Deno.test("Recorder.OnSend() runs its function in the context in which it was registered", async () => {
  const noted = await notedBy((app, note) => {
    app.Get("/", (ctx) => {
      ctx.Recorder().OnSend(() => note("send"));
      ctx.WriteString("tea");
    });
  });
  assertEquals(noted, ["send: bob"]);
});

Deno.test("mvc runs hooks and disposes of values in the context of their call", async () => {
  const noted = await notedBy((app, note) => {
    class Row {
      constructor() {
        note("created");
      }
      async [Symbol.asyncDispose]() {
        await Promise.resolve();
        note("disposed of");
      }
    }
    class RowController {
      row = mvc.Inject(Row);
      BeginRequest() {
        note("begin");
      }
      async Get() {
        await Promise.resolve();
        note("method");
        return "tea";
      }
      EndRequest() {
        note("end");
      }
    }
    mvc.New(app).Register(mvc.PerRequest(Row)).Handle(RowController);
  });
  const events = ["created", "begin", "method", "end", "disposed of"].map((event) => `${event}: bob`);
  assertEquals(noted.filter((each) => each.endsWith("bob")), events);
});

Deno.test("mvc creates singletons outside the context of the call that needs them first", async () => {
  const seen: Promise<string>[] = [];
  function note(): void {
    seen.push(new Promise((resolve) => setTimeout(() => resolve(user()), 1)));
  }
  class Clock {
    constructor() {
      note();
    }
  }
  class Pool {}
  class Rows {
    pool = mvc.Inject(Pool);
    constructor() {
      note();
    }
  }
  class RowController {
    clock = mvc.Inject(Clock);
    rows = mvc.Inject(Rows);
    Get() {
      return this.rows.pool instanceof Pool ? user() : "";
    }
  }
  const pool = mvc.Provide(Pool, async () => {
    note();
    await Promise.resolve();
    return new Pool();
  });
  const app = named();
  mvc.New(app).Register(Clock, pool, Rows).Handle(RowController);
  const request = new Request("http://localhost/", { headers: { "x-user": "bob" } });
  assertEquals(await (await users.run("outer", async () => await app.fetch(request))).text(), "bob");
  assertEquals(new Set(await Promise.all(seen)), new Set(["nobody"]));
});

Deno.test("Context.Signal() and OnConnectionClose() notice a disconnect in the context of their call", async () => {
  const app = named();
  const noted: string[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  app.Get("/", (ctx) => {
    ctx.Signal().addEventListener("abort", () => noted.push(`signal: ${user()}`));
    ctx.OnConnectionClose(() => void noted.push(`connection: ${user()}`));
    ctx.OnClose(() => {
      noted.push(`close: ${user()}`);
      resolve();
    });
    ctx.Stream(async function* (signal) {
      try {
        yield "tea";
        await new Promise((resolve) => signal.addEventListener("abort", resolve));
        noted.push(`stream: ${user()}`);
      } finally {
        noted.push(`finally: ${user()}`);
      }
    });
  });
  await overSocket(app, async (_ask, port) => {
    const response = await fetch(`http://127.0.0.1:${port}/`, { headers: { "x-user": "bob" } });
    const reader = response.body?.getReader();
    await reader?.read();
    await reader?.cancel();
    await promise;
  });
  await app.Shutdown();
  assertEquals(noted.sort(), ["close: bob", "connection: bob", "finally: bob", "signal: bob", "stream: bob"]);
});

Deno.test("cache.New() renews a stale response outside the context of the call that found it", async () => {
  const app = quiet();
  const noted: string[] = [];
  app.UseRouter((ctx) => {
    noted.push(user());
    const name = ctx.GetHeader("x-user");
    return name === "" ? ctx.Next() : users.run(name, () => ctx.Next());
  });
  app.Use(cache.New({ MaxAge: 1, StaleFor: 60_000 }));
  app.Get("/", (ctx) => ctx.WriteString("tea"));
  for (const name of ["ann", "bob"]) {
    await (await app.fetch(new Request("http://localhost/", { headers: { "x-user": name } }))).text();
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  await app.Shutdown();
  assertEquals(noted, ["nobody", "nobody", "nobody"]);
});

Deno.test("websocket runs all handlers of a connection in the context of its handshake", async () => {
  await using hub = live.New();
  const app = named();
  const server = websocket.New({ Hub: hub });
  const noted: string[] = [];
  const ended = Promise.withResolvers<void>();
  server.On(websocket.OnNamespaceConnected, () => void noted.push(`connected: ${user()}`));
  server.On(websocket.OnNativeMessage, async (conn, data) => {
    await Promise.resolve();
    noted.push(`message: ${user()}`);
    conn.Write(String(data));
  });
  server.On(websocket.OnNamespaceDisconnect, () => void noted.push(`left: ${user()}`));
  server.OnDisconnect(() => {
    noted.push(`disconnected: ${user()}`);
    ended.resolve();
  });
  app.Get("/socket", websocket.Handler(server));
  app.Get("/close", (ctx) => {
    for (const conn of server.Conns()) conn.Close();
    ctx.WriteString(user());
  });
  await overSocket(app, async (_ask, port) => {
    const socket = new WebSocket(
      `ws://127.0.0.1:${port}/socket`,
      { headers: { "x-user": "bob" } } as unknown as string[],
    );
    const closed = new Promise((resolve) => socket.onclose = resolve);
    await new Promise((resolve) => socket.onopen = resolve);
    for (const text of ["one", "two"]) {
      socket.send(text);
      await new Promise((resolve) => socket.onmessage = resolve);
    }
    const response = await fetch(`http://127.0.0.1:${port}/close`, { headers: { "x-user": "ann" } });
    assertEquals(await response.text(), "ann");
    await Promise.all([closed, ended.promise]);
  });
  assertEquals(noted, ["connected: bob", "message: bob", "message: bob", "left: bob", "disconnected: bob"]);
});

Deno.test("OnErrorCode() and OnError() run in the context of a router wrapper", async () => {
  const app = quiet();
  const noted: string[] = [];
  app.WrapRouter((request, next) => users.run("bob", () => next(request)));
  app.OnErrorCode(500, async (ctx) => {
    await Promise.resolve();
    ctx.WriteString(user());
  });
  app.OnError(() => void noted.push(user()));
  app.Get("/", async () => {
    await Promise.resolve();
    throw new Error("no tea");
  });
  await overSocket(app, async (ask) => assertEquals((await ask("/")).text, "bob"));
  await app.Shutdown();
  assertEquals(noted, ["bob"]);
});
