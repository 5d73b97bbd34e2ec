import * as fw from "@fw/web";
import * as cache from "@fw/web/middleware/cache";
import * as store from "@fw/web/store";
import { assert, assertEquals } from "@std/assert";
import { FakeTime } from "@std/testing/time";
import { PassingTime } from "../../clocks.ts";
import { inTime } from "../../in_time.ts";
import { askInProcess, bothWays, logged, quiet } from "../../serving.ts";

const entry: cache.CachedResponse = {
  Status: 200,
  Headers: [["content-type", "text/plain"]],
  Body: new TextEncoder().encode("entry"),
  Stored: Date.now(),
  Fresh: 60_000,
  Vary: [],
  Public: false,
};

const down: cache.Store = {
  Get: () => Promise.reject(new Error("the store is down")),
  Set: () => Promise.reject(new Error("the store is down")),
  Delete: () => Promise.reject(new Error("the store is down")),
};

function counting(Store: cache.Store, options: cache.Options = {}): { app: fw.Application; lines: string[] } {
  let runs = 0;
  const { app, lines } = logged();
  app.Use(cache.New({ MaxAge: 60_000, Store, ...options }));
  app.Get("/{path:path}", (ctx) => ctx.WriteString(`run ${++runs}`));
  app.Post("/{path:path}", (ctx) => ctx.WriteString("done"));
  return { app, lines };
}

const outages: [what: string, broken: cache.Store][] = [
  ["rejects", down],
  ["throws", {
    Get() {
      throw new Error("the store is down");
    },
    Set() {
      throw new Error("the store is down");
    },
    Delete() {
      throw new Error("the store is down");
    },
  }],
  ["fails with an error of fw's own", {
    Get: () => Promise.reject(new fw.FrameworkError("FW_STORE", "Cannot read: it is full")),
    Set: () => Promise.reject(new fw.FrameworkError("FW_STORE", "Cannot write: it is full")),
    Delete: () => Promise.reject(new fw.HTTPError(503)),
  }],
];
for (const [what, broken] of outages) {
  bothWays(`cache.New() continues to serve while its store ${what}`, () => {
    const { app } = counting(broken);
    return app;
  }, async (ask) => {
    for (let run = 1; run <= 5; run++) {
      const { status, text } = await ask("/page");
      assertEquals([status, text], [200, `run ${run}`]);
      const written = await ask("/page", { method: "POST", body: "x" });
      assertEquals([written.status, written.text], [200, "done"]);
    }
  });

  Deno.test(`cache.New() logs one line while its store ${what}, and one when it has recovered`, async () => {
    using time = new PassingTime();
    let current = broken;
    const { app, lines } = counting({
      Get: (key) => current.Get(key),
      Set: (...args) => current.Set(...args),
      Delete: (key) => current.Delete(key),
    });
    for (let visit = 0; visit < 10; visit++) await askInProcess(app, `/page${visit}`);
    app.Logger().Flush();
    assertEquals(lines.filter((line) => line.includes("Cannot reach the cache store")).length, 1, lines.join("\n"));
    current = cache.NewMemory();
    // The store is not called for a second.
    time.tick(1050);
    for (let visit = 0; visit < 3; visit++) await askInProcess(app, "/page");
    app.Logger().Flush();
    assertEquals(lines.filter((line) => line.includes("The cache store is back")).length, 1, lines.join("\n"));
    assertEquals(lines.length, 2);
    const hit = await askInProcess(app, "/page");
    assert(hit.headers.get("cache-status")?.startsWith("fw; hit"));
  });
}

Deno.test("cache.New() waits only briefly for a store that hangs, and then bypasses it", async () => {
  // The store is not called again for a second after its failure.
  await inTime(1000, async (begin) => {
    const calls = { Get: 0, Set: 0, Delete: 0 };
    const hang = (call: keyof typeof calls) => () => {
      calls[call]++;
      return new Promise<never>(() => {});
    };
    const { app, lines } = counting({ Get: hang("Get"), Set: hang("Set"), Delete: hang("Delete") });
    assertEquals((await askInProcess(app, "/page")).status, 200);
    begin();
    for (let visit = 0; visit < 20; visit++) {
      assertEquals((await askInProcess(app, "/page")).status, 200);
      assertEquals((await askInProcess(app, "/page", { method: "POST", body: "x" })).text, "done");
    }
    assert(calls.Get + calls.Set + calls.Delete <= 3, JSON.stringify(calls));
    app.Logger().Flush();
    assertEquals(lines.length, 1);
  });
});

const nonsense: [what: string, value: unknown][] = [
  ["a number", 5],
  ["a text", "page"],
  ["an empty object", {}],
  ["a body that is a text", { ...entry, Body: "page" }],
  ["a status of 0", { ...entry, Status: 0 }],
  ["a status of 101", { ...entry, Status: 101 }],
  ["a status that is a text", { ...entry, Status: "200" }],
  ["headers that are an object", { ...entry, Headers: { "content-type": "text/html" } }],
  ["a header with a line break", { ...entry, Headers: [["x-a", "b\r\nset-cookie: c=d"]] }],
  ["a header without a name", { ...entry, Headers: [["", "b"]] }],
  ["no time", { ...entry, Stored: undefined }],
  ["no list of headers that it depends on", { ...entry, Vary: null }],
];
for (const [what, value] of nonsense) {
  Deno.test(`cache.New() accepts a store that returns ${what} for a miss, and logs it once`, async () => {
    const { app, lines } = counting({ Get: () => value as cache.CachedResponse, Set() {}, Delete() {} });
    for (let run = 1; run <= 3; run++) assertEquals((await askInProcess(app, "/page")).text, `run ${run}`);
    app.Logger().Flush();
    assertEquals(lines.length, 1, lines.join("\n"));
  });
}

Deno.test("cache.New() serves pages if its shared store is full", async () => {
  const shared = store.NewMemory({ MaxKeys: 1, WhenFull: "refuse" });
  await shared.Set("other", "x", 60_000);
  const { app } = counting(cache.FromStore(shared));
  for (let run = 1; run <= 3; run++) assertEquals((await askInProcess(app, "/page")).text, `run ${run}`);
});

Deno.test("cache.New() does not serve a response that a write has invalidated, even if the store could not delete it", async () => {
  using time = new PassingTime();
  const memory = cache.NewMemory();
  let isDown = false;
  const { app } = counting({
    Get: (key) => memory.Get(key),
    Set: (...args) => memory.Set(...args),
    Delete: (key) => isDown ? Promise.reject(new Error("down")) : memory.Delete(key),
  });
  assertEquals((await askInProcess(app, "/page")).text, "run 1");
  assertEquals((await askInProcess(app, "/page")).text, "run 1");
  isDown = true;
  assertEquals((await askInProcess(app, "/page", { method: "POST", body: "x" })).text, "done");
  time.tick(1050);
  assertEquals((await askInProcess(app, "/page")).text, "run 2");
  assertEquals((await askInProcess(app, "/page")).text, "run 2");
});

Deno.test("cache.New() does not store a page that a write invalidated while it was rendered", async () => {
  const [begun, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let value = "old";
  const app = quiet();
  app.Use(cache.New({ MaxAge: 60_000 }));
  app.Get("/", async (ctx) => {
    const read = value;
    begun.resolve();
    await gate.promise;
    ctx.WriteString(read);
  });
  app.Post("/", (ctx) => {
    value = "new";
    ctx.WriteString("done");
  });
  const reading = askInProcess(app, "/");
  await begun.promise;
  await askInProcess(app, "/", { method: "POST", body: "x" });
  gate.resolve();
  await reading;
  assertEquals((await askInProcess(app, "/")).text, "new");
});

Deno.test("cache.New() with a frozen clock stores again after a write", async () => {
  using _time = new FakeTime();
  const { app } = counting(cache.NewMemory());
  assertEquals((await askInProcess(app, "/page")).text, "run 1");
  await askInProcess(app, "/page", { method: "POST", body: "x" });
  assertEquals((await askInProcess(app, "/page")).text, "run 2");
  assertEquals((await askInProcess(app, "/page")).text, "run 2");
});
