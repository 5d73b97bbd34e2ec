import { assertEquals, assertThrows } from "@std/assert";
import * as fw from "../../mod.ts";
import * as recover from "../../src/middleware/recover.ts";
import * as timeout from "../../src/middleware/timeout.ts";
import { bothWays, logged, overSocket, quiet } from "../serving.ts";

/** Waits until a request has timed out. */
async function wait(ctx: fw.Context): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  ctx.Signal().addEventListener("abort", () => resolve());
  await promise;
}

bothWays("timeout.New() responds with 503 if handlers take too long, and does not affect others", () => {
  const app = quiet();
  app.Use(timeout.New({ After: 20 }));
  app.Get("/slow", async (ctx) => {
    ctx.WriteString("begun");
    ctx.Header("x-kept", "1");
    await wait(ctx);
    ctx.WriteString("too late");
  });
  app.Get("/quick", async (ctx) => {
    await Promise.resolve();
    ctx.WriteString("quick");
  });
  app.Get("/sync", (ctx) => ctx.WriteString("sync"));
  return app;
}, async (ask) => {
  const slow = await ask("/slow");
  assertEquals([slow.status, slow.text], [503, "Service Unavailable"]);
  assertEquals((await ask("/quick")).text, "quick");
  assertEquals((await ask("/sync")).text, "sync");
});

for (const outer of ["recover", "an awaiting one", "a forgetful one", "none"] as const) {
  Deno.test(`timeout.New() does not wait for later handlers, regardless of outer middleware: ${outer}`, async () => {
    const app = quiet();
    const { promise, resolve } = Promise.withResolvers<void>();
    if (outer === "recover") app.Use(recover.New());
    if (outer === "an awaiting one") {
      app.Use(async (ctx) => {
        await ctx.Next();
      });
    }
    if (outer === "a forgetful one") app.Use((ctx) => void ctx.Next());
    app.Use(timeout.New({ After: 10 }));
    app.Use(async (ctx) => {
      await ctx.Next();
    });
    app.Get("/", async () => await promise);
    const response = await app.fetch(new Request("http://localhost/"));
    assertEquals([response.status, await response.text()], [503, "Service Unavailable"]);
    resolve();
    await promise;
  });
}

Deno.test("timeout.New() does not run the remaining handlers after the timeout", async () => {
  const app = quiet();
  const seen: string[] = [];
  const ended = Promise.withResolvers<void>();
  app.Use(timeout.New({ After: 10 }));
  app.Get("/", async (ctx) => {
    await wait(ctx);
    await ctx.Next();
    ended.resolve();
  }, () => void seen.push("next"));
  assertEquals((await app.fetch(new Request("http://localhost/"))).status, 503);
  await ended.promise;
  assertEquals(seen, []);
});

for (const by of ["timeout.New()", "HandlerTimeout"]) {
  for (const path of ["/inner", "/outer/inner"]) {
    Deno.test(`${by} does not run the remaining handlers of mounted applications after the timeout: ${path}`, async () => {
      const { promise: ended, resolve: end } = Promise.withResolvers<void>();
      let hasRun = false;
      const inner = quiet();
      inner.Use(async (ctx) => {
        await wait(ctx);
        await ctx.Next();
        end();
      });
      inner.Get("/", (ctx) => {
        hasRun = true;
        ctx.WriteString("too late");
      });
      const outer = quiet();
      outer.Mount("/inner", inner.fetch);
      const app = quiet();
      if (by === "HandlerTimeout") app.Configure(fw.WithHandlerTimeout(20));
      else app.Use(timeout.New({ After: 20 }));
      app.Mount("/inner", inner.fetch);
      app.Mount("/outer", outer.fetch);
      await overSocket(app, async (ask) => assertEquals((await ask(path)).status, 503));
      await ended;
      assertEquals(hasRun, false);
    });
  }
}

Deno.test("timeout.New() allows a custom page and status", async () => {
  const app = quiet();
  app.Use(timeout.New({ After: 10, Status: 504 }));
  app.OnErrorCode(504, (ctx) => ctx.WriteString("busy, come back"));
  app.Get("/", wait);
  const response = await app.fetch(new Request("http://localhost/"));
  assertEquals([response.status, await response.text()], [504, "busy, come back"]);
});

Deno.test("timeout.New() logs errors thrown after the timeout, but not an abort", async () => {
  const { app, lines } = logged();
  const ended = Promise.withResolvers<void>();
  app.Use(timeout.New({ After: 10 }));
  app.Get("/throws", async (ctx) => {
    await wait(ctx);
    ended.resolve();
    throw new Error("database");
  });
  app.Get("/heeds", async (ctx) => {
    const signal = ctx.Signal();
    await wait(ctx);
    signal.throwIfAborted();
  });
  assertEquals((await app.fetch(new Request("http://localhost/throws"))).status, 503);
  await ended.promise;
  await Promise.resolve();
  assertEquals((await app.fetch(new Request("http://localhost/heeds"))).status, 503);
  app.Logger().Flush();
  const told = lines.filter((line) => line.includes("within its time limit"));
  assertEquals(told.length, 1);
  assertEquals(told[0]?.includes("/throws"), true);
});

Deno.test("timeout.New() rethrows errors thrown before the timeout", async () => {
  const app = quiet();
  app.Use(timeout.New({ After: 10_000 }));
  app.Get("/", async () => {
    await Promise.resolve();
    throw new fw.HTTPError(409, "Taken");
  });
  await overSocket(app, async (ask) => assertEquals((await ask("/")).text, "Taken"));
});

for (const options of [{ After: 0 }, { After: -1 }, { After: NaN }, { After: Infinity }, { After: 1, Status: 200 }]) {
  Deno.test(`timeout.New() rejects ${Deno.inspect(options)}`, () => {
    assertThrows(() => timeout.New(options), fw.FrameworkError);
  });
}

for (
  const [name, page] of Object.entries<() => Response>({
    "a response": () => new Response("page", { status: 503 }),
    "a stream": () => new Response(new Blob(["page"]).stream(), { status: 503 }),
  })
) {
  Deno.test(`timeout.New() does not wait for late handlers if ${name} is the error page`, async () => {
    for (const isOuter of [true, false]) {
      const app = quiet();
      const released = Promise.withResolvers<void>();
      if (isOuter) app.Configure(fw.WithHandlerTimeout(5));
      else app.Use(timeout.New({ After: 5 }));
      app.OnErrorCode(503, page);
      app.Get("/", () => released.promise);
      const response = await app.fetch(new Request("http://localhost/"));
      assertEquals([response.status, await response.text()], [503, "page"]);
      released.resolve();
    }
  });
}
