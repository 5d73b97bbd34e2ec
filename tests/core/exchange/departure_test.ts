import * as fw from "@fw/web";
import * as accesslog from "@fw/web/middleware/accesslog";
import * as logger from "@fw/web/middleware/logger";
import * as metrics from "@fw/web/middleware/metrics";
import * as recover from "@fw/web/middleware/recover";
import * as timeout from "@fw/web/middleware/timeout";
import * as mvc from "@fw/web/mvc";
import { assertEquals, assertStringIncludes } from "@std/assert";
import { z } from "npm:zod@^4";
import { logged, overSocket, writeAll } from "../../serving.ts";

/** An application that records what it reports. */
interface Recorded {
  readonly app: fw.Application;
  readonly counted: metrics.Metrics;
  readonly lines: string[];
  readonly errors: string[];
  /** Resolves with the status and the error in the access log. */
  readonly entry: Promise<string>;
  /** Resolves when a handler is running. */
  readonly running: PromiseWithResolvers<void>;
}

function recording(): Recorded {
  const { app, lines } = logged();
  const errors: string[] = [];
  const entry = Promise.withResolvers<string>();
  const counted = metrics.New();
  app.OnError((_ctx, error) => void errors.push(error.message));
  app.UseRouter(
    counted.Handler(),
    accesslog.New({ Output: (line) => entry.resolve(line.trim()), Format: "{Status} {Error}" }).Handler(),
  );
  return { app, counted, lines, errors, entry: entry.promise, running: Promise.withResolvers() };
}

/** Sends the start of a request, waits until its handler is running, and disconnects. */
async function leave({ app, entry, running }: Recorded, head = "GET / HTTP/1.1\r\nHost: x\r\n\r\n"): Promise<string> {
  let line = "";
  await overSocket(app, async (_ask, port) => {
    const connection = await Deno.connect({ hostname: "127.0.0.1", port });
    await writeAll(connection, new TextEncoder().encode(head));
    await running.promise;
    connection.close();
    line = await entry;
  });
  return line;
}

/** Returns a promise that rejects with the reason of a signal, like the platform's `fetch`. */
function slow({ running }: Recorded, signal: AbortSignal): Promise<never> {
  running.resolve();
  return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
}

const upload = "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nabc";

const leaving: Record<string, (site: Recorded) => string | void> = {
  "ctx.Signal()": (site) => void site.app.Get("/", (ctx) => slow(site, ctx.Signal())),
  "the signal of the request": (site) => void site.app.Get("/", (ctx) => slow(site, ctx.Request().signal)),
  "a signal that follows ctx.Signal()": (site) =>
    void site.app.Get("/", (ctx) => slow(site, AbortSignal.any([ctx.Signal(), AbortSignal.timeout(60_000)]))),
  "an error caused by the signal": (site) =>
    void site.app.Get("/", async (ctx) => {
      await slow(site, ctx.Signal()).catch((cause) => {
        throw new Error("query canceled", { cause });
      });
    }),
  "a mounted function": (site) => void site.app.Mount("/", (request) => slow(site, request.signal)),
  "a function of FromFetch()": (site) => void site.app.Get("/", fw.FromFetch((request) => slow(site, request.signal))),
  "a mounted application": (site) => {
    const inner = fw.New();
    inner.Logger().SetOutput((line) => site.lines.push(line));
    inner.OnError((_ctx, error) => void site.errors.push(error.message));
    inner.Get("/", (ctx) => slow(site, ctx.Signal()));
    site.app.Mount("/", inner.fetch);
  },
  "a controller with HandleError": (site) => {
    class SlowController {
      async Get(ctx = mvc.Inject(fw.Context)): Promise<void> {
        await slow(site, ctx.Signal());
      }
      HandleError(_ctx: fw.Context, error: Error): void {
        site.errors.push(`handled ${error.message}`);
      }
    }
    mvc.New(site.app).Handle(SlowController);
  },
  "recover": (site) => {
    site.app.Use(recover.New({ OnError: (_ctx, error) => void site.errors.push(String(error)) }));
    site.app.Get("/", (ctx) => slow(site, ctx.Signal()));
  },
  "ctx.GetBody()": (site) => {
    site.app.Post("/", async (ctx) => {
      site.running.resolve();
      const [, error] = await ctx.GetBody();
      if (error !== null) ctx.StopWithError(500, error);
    });
    return upload;
  },
  "a typed body": (site) => {
    site.app.UseRouter((ctx) => (site.running.resolve(), ctx.Next()));
    class TeaController {
      Post(_tea = mvc.Body(z.object({ name: z.string() }))): void {}
    }
    mvc.New(site.app).Handle(TeaController);
    return upload.replace("\r\n\r\n", "\r\nContent-Type: application/json\r\n\r\n");
  },
  "request.text()": (site) => {
    site.app.Post("/", async (ctx) => {
      site.running.resolve();
      await ctx.Request().text();
    });
    return upload;
  },
};

for (const [name, register] of Object.entries(leaving)) {
  Deno.test(`A client that disconnects is not a server error for ${name}`, async () => {
    const site = recording();
    const head = register(site) ?? undefined;
    assertEquals((await leave(site, head)).split(" ")[0], "499");
    site.app.Logger().Flush();
    assertEquals([site.errors, site.lines], [[], []]);
    assertStringIncludes(site.counted.Text(), 'status_code="499"} 1');
  });
}

Deno.test("A client that disconnects is logged with 499 and without an error by logger", async () => {
  const site = recording();
  site.app.Use(logger.New());
  site.app.Get("/", (ctx) => slow(site, ctx.Signal()));
  await leave(site);
  site.app.Logger().Flush();
  assertEquals(site.lines.length, 1);
  assertStringIncludes(site.lines[0] ?? "", "[WARN] 499");
});

Deno.test("Another error is reported even if the client has disconnected", async () => {
  const site = recording();
  site.app.Get("/", (ctx) =>
    slow(site, ctx.Signal()).catch(() => {
      throw new Error("the database is down");
    }));
  assertEquals(await leave(site), "500 the\\x20database\\x20is\\x20down");
  assertEquals(site.errors, ["the database is down"]);
});

Deno.test("An AbortError of a handler is reported if the client is still connected", async () => {
  for (const reads of [true, false]) {
    const site = recording();
    site.app.Get("/", (ctx) => {
      if (reads) ctx.Signal();
      throw new DOMException("given up", "AbortError");
    });
    await overSocket(site.app, async (ask) => assertEquals((await ask("/")).status, 500));
    assertEquals(site.errors, ["given up"]);
  }
});

Deno.test("A timeout is still a timeout for a handler that observes its signal", async () => {
  const site = recording();
  site.app.Use(timeout.New({ After: 20 }));
  site.app.Get("/", (ctx) => slow(site, ctx.Signal()));
  await overSocket(site.app, async (ask) => assertEquals((await ask("/")).status, 503));
  assertEquals((await site.entry).split(" ")[0], "503");
});
