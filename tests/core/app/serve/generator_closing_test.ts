import * as fw from "@fw/web";
import * as accesslog from "@fw/web/middleware/accesslog";
import * as compress from "@fw/web/middleware/compress";
import * as timeout from "@fw/web/middleware/timeout";
import * as mvc from "@fw/web/mvc";
import { assertEquals } from "@std/assert";
import { overSocket, quiet, writeAll } from "../../../serving.ts";

/** Waits before a step of a generator. */
type Step = (at: number) => Promise<unknown> | undefined;

/** An application whose routes respond with generators, and the order of what happened in a request. */
interface Site {
  readonly app: fw.Application;
  readonly events: string[];
  /** Resolves when the value of the request has been disposed of. */
  readonly over: Promise<void>;
}

const paths = ["/text", "/bytes", "/object", "/event", "/stream", "/events", "/readable", "/response", "/feed"];
/** The routes whose generators need not perform a step before the body is read. */
const mayBeUnread: ReadonlySet<string> = new Set(["/stream", "/events", "/readable", "/response", "/feed"]);

function newSite(step: Step = () => undefined, ...uses: fw.Handler[]): Site {
  const events: string[] = [];
  const over = Promise.withResolvers<void>();
  class Connection {
    [Symbol.dispose](): void {
      events.push("disposed");
      over.resolve();
    }
  }
  async function* rows<T>(value: T): AsyncGenerator<T> {
    try {
      for (let at = 0;; at++) {
        await step(at);
        if (at === 0) events.push("begun");
        yield value;
      }
    } finally {
      await new Promise((resolve) => setTimeout(resolve, 5));
      events.push("closed");
    }
  }
  class RowController {
    readonly connection: Connection = mvc.Inject(Connection);
    GetText(): AsyncGenerator<string> {
      return rows("row\n");
    }
    GetBytes(): AsyncGenerator<Uint8Array> {
      return rows(new Uint8Array(9));
    }
    GetObject(): AsyncGenerator<object> {
      return rows({ id: 1 });
    }
    GetEvent(): AsyncGenerator<fw.ServerEvent> {
      return rows(fw.NewEvent("row"));
    }
    GetStream(ctx = mvc.Inject(fw.Context)): void {
      ctx.Stream(rows("row\n"));
    }
    GetEvents(ctx = mvc.Inject(fw.Context)): void {
      ctx.Events(rows("row"));
    }
    GetReadable(): ReadableStream<Uint8Array> {
      return ReadableStream.from(rows(new Uint8Array(9)));
    }
    GetFeed(ctx = mvc.Inject(fw.Context)): void {
      ctx.Events(ReadableStream.from(rows("row")));
    }
    GetResponse(): Response {
      return new Response(ReadableStream.from(rows(new Uint8Array(9))));
    }
  }
  const app = quiet();
  app.Use(...uses);
  const site = mvc.New(app);
  site.Register(mvc.PerRequest(Connection));
  site.Handle(RowController);
  return { app, events, over: over.promise };
}

/** Checks that the generator was closed before the value was disposed of, and both once. */
function assertClosed(path: string, { events }: Site): void {
  if (mayBeUnread.has(path) && !events.includes("begun")) assertEquals(events, ["disposed"], path);
  else assertEquals(events, ["begun", "closed", "disposed"], path);
}

const discards: Record<string, (ctx: fw.Context) => void | Promise<void>> = {
  "an error": async (ctx) => {
    await ctx.Next();
    throw new Error("after the generator");
  },
  "a status without a body": async (ctx) => {
    await ctx.Next();
    ctx.StatusCode(304);
  },
  "another document": async (ctx) => {
    await ctx.Next();
    ctx.JSON({ other: true });
  },
  "ResetBody()": async (ctx) => {
    await ctx.Next();
    ctx.Recorder().ResetBody();
  },
  "SetBody()": async (ctx) => {
    await ctx.Next();
    ctx.Recorder().OnSend((recorder) => recorder.SetBody("other"));
  },
  "compress and an error": async (ctx) => {
    ctx.Recorder().OnSend(() => {
      throw new Error("at the end");
    });
    await ctx.Next();
  },
};

for (const [reason, discard] of Object.entries(discards)) {
  Deno.test(`A generator is closed and its values are disposed of if ${reason} replaces the body`, async () => {
    for (const path of paths) {
      const uses = reason.startsWith("compress") ? [compress.New(), discard] : [discard];
      const site = newSite(undefined, ...uses);
      await (await site.app.fetch(new Request(`http://localhost${path}`))).bytes();
      await site.over;
      assertClosed(path, site);
      const other = newSite(undefined, ...uses);
      await overSocket(other.app, async (ask) => {
        await ask(path);
        await other.over;
      });
      assertClosed(path, other);
    }
  });
}

Deno.test("A generator is closed and its values are disposed of if a body is canceled after some of its chunks", async () => {
  for (const path of paths) {
    for (const count of [0, 1, 2, 3]) {
      const site = newSite();
      const reader = (await site.app.fetch(new Request(`http://localhost${path}`))).body?.getReader();
      for (let at = 0; at < count; at++) await reader?.read();
      await reader?.cancel();
      await site.over;
      assertClosed(path, site);
    }
  }
});

const failures: Record<string, fw.RouterWrapper> = {
  "rejects": async (request, serve) => {
    await serve(request);
    throw new Error("after the generator");
  },
  "throws without waiting": (request, serve) => {
    void serve(request);
    throw new Error("before the generator");
  },
  "returns nothing": async (request, serve) => {
    await serve(request);
    return undefined as unknown as Response;
  },
};

for (const [reason, wrapper] of Object.entries(failures)) {
  Deno.test(`A generator is closed and its values are disposed of if a wrapper ${reason}`, async () => {
    for (const path of paths) {
      const site = newSite();
      // The outer wrapper sees the failure of the inner one, and passes it on.
      site.app.WrapRouter(wrapper).WrapRouter((request, serve) => serve(request));
      const response = await site.app.fetch(new Request(`http://localhost${path}`));
      await response.body?.cancel();
      assertEquals(response.status, 500);
      await site.over;
      assertClosed(path, site);
    }
  });
}

Deno.test("A generator is closed before the response to a HEAD request, in process", async () => {
  for (const path of paths) {
    const site = newSite();
    await site.app.fetch(new Request(`http://localhost${path}`, { method: "HEAD" }));
    assertEquals(site.events.at(-1), "disposed");
    assertClosed(path, site);
  }
});

Deno.test("A generator is closed after a HEAD request, over a socket", async () => {
  for (const path of paths) {
    const site = newSite();
    await overSocket(site.app, async (ask) => {
      assertEquals((await ask(path, { method: "HEAD" })).status, 200);
      await site.over;
    });
    assertClosed(path, site);
  }
});

Deno.test("A value is disposed of after the pending step of a generator if the client disconnects", async () => {
  for (const uses of [[], [compress.New()], [accesslog.New({ Output: () => {} }).Handler()]]) {
    for (const path of paths) {
      const waiting = Promise.withResolvers<void>();
      const pending = Promise.withResolvers<void>();
      const site = newSite((at) => {
        if (at < 2) return undefined;
        waiting.resolve();
        return pending.promise;
      }, ...uses);
      await overSocket(site.app, async (_ask, port) => {
        const connection = await Deno.connect({ hostname: "127.0.0.1", port });
        const accept = uses.length > 0 ? "Accept-Encoding: gzip\r\n" : "";
        await writeAll(connection, new TextEncoder().encode(`GET ${path} HTTP/1.1\r\nHost: x\r\n${accept}\r\n`));
        await connection.read(new Uint8Array(1000));
        await waiting.promise;
        connection.close();
        await new Promise((resolve) => setTimeout(resolve, 30));
        assertEquals(site.events, ["begun"], path);
        pending.resolve();
        await site.over;
      });
      assertEquals(site.events, ["begun", "closed", "disposed"], path);
    }
  }
});

Deno.test("A value is disposed of after the pending step of a generator if a body is canceled in process", async () => {
  for (const path of paths) {
    const pending = Promise.withResolvers<void>();
    const waiting = Promise.withResolvers<void>();
    const site = newSite((at) => at < 2 ? undefined : (waiting.resolve(), pending.promise));
    const response = await site.app.fetch(new Request(`http://localhost${path}`));
    const reader = response.body?.getReader();
    void reader?.read().then(() => reader.read()).then(() => reader.read()).then(() => reader.read());
    await waiting.promise;
    const canceled = reader?.cancel();
    await new Promise((resolve) => setTimeout(resolve, 10));
    assertEquals(site.events, ["begun"], path);
    pending.resolve();
    await canceled;
    assertEquals(site.events, ["begun", "closed", "disposed"], path);
  }
});

for (const kind of ["middleware", "option"] as const) {
  Deno.test(`A value is disposed of after the first step of a generator that exceeds a timeout (${kind})`, async () => {
    for (const path of ["/text", "/bytes", "/object", "/event"]) {
      for (const way of ["in process", "over a socket"]) {
        const pending = Promise.withResolvers<void>();
        const site = newSite(() => pending.promise, ...kind === "middleware" ? [timeout.New({ After: 20 })] : []);
        if (kind === "option") site.app.Configure(fw.WithHandlerTimeout(20));
        const run = async (status: number) => {
          assertEquals(status, 503);
          assertEquals(site.events, []);
          pending.resolve();
          await site.over;
          assertEquals(site.events, ["begun", "closed", "disposed"], path);
        };
        if (way === "over a socket") await overSocket(site.app, async (ask) => run((await ask(path)).status));
        else await run((await site.app.fetch(new Request(`http://localhost${path}`))).status);
      }
    }
  });
}

Deno.test("A value is disposed of after an asynchronous method that exceeds a timeout", async () => {
  const events: string[] = [];
  const over = Promise.withResolvers<void>();
  const pending = Promise.withResolvers<void>();
  class Connection {
    [Symbol.dispose](): void {
      events.push("disposed");
      over.resolve();
    }
  }
  class SlowController {
    readonly connection: Connection = mvc.Inject(Connection);
    async Get(): Promise<string> {
      await pending.promise;
      events.push("used");
      return "late";
    }
  }
  const app = quiet();
  app.Use(timeout.New({ After: 20 }));
  mvc.New(app).Register(mvc.PerRequest(Connection)).Handle(SlowController);
  await overSocket(app, async (ask) => {
    assertEquals((await ask("/")).status, 503);
    pending.resolve();
    await over.promise;
  });
  assertEquals(events, ["used", "disposed"]);
});

Deno.test("A generator that yields a value which cannot be sent is closed", async () => {
  const site = newSite();
  let at = 0;
  let isClosed = false;
  function* rows(): Generator<unknown> {
    try {
      while (true) yield at++ === 0 ? "text" : 7;
    } finally {
      isClosed = true;
    }
  }
  class MixedController {
    Get(): Generator<unknown> {
      return rows();
    }
  }
  mvc.New(site.app.Party("/mixed")).Handle(MixedController);
  const response = await site.app.fetch(new Request("http://localhost/mixed"));
  await response.text().catch(() => {});
  assertEquals(isClosed, true);
});
