import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { PassingTime } from "../../clocks.ts";
import * as fw from "../../../mod.ts";
import * as jobs from "../../../src/work/jobs/mod.ts";
import * as health from "../../../src/middleware/health/mod.ts";
import * as sessions from "../../../src/state/sessions/mod.ts";
import { freePort } from "../../free_port.ts";
import { closeClient, newClient } from "../../state/redis/clients.ts";
import { ignoredFor, serverIsMissing, startRedis } from "../../state/sessions/redis_server.ts";
import { SpyStore } from "../../state/sessions/spy_store.ts";
import { bothWays, logged, quiet } from "../../serving.ts";

interface Told {
  status: string;
  checks: Record<string, { status: string; latencyMs: number }>;
}

/** Returns the status of `/readyz` and of each check. */
async function ready(app: fw.Application): Promise<[code: number, status: string, ...checks: string[]]> {
  const response = await app.fetch(new Request("http://localhost/readyz"));
  const told: Told = await response.json();
  return [response.status, told.status, ...Object.values(told.checks).map((check) => check.status)];
}

bothWays("health.New() reports whether the process is alive and ready", () => {
  const app = quiet();
  health.New({ Checks: { good: () => {}, later: () => Promise.resolve(true) } }).Register(app);
  return app;
}, async (ask) => {
  const live = await ask("/livez");
  assertEquals([live.status, JSON.parse(live.text)], [200, { status: "alive" }]);
  const { status, text, headers } = await ask("/readyz");
  const told: Told = JSON.parse(text);
  assertEquals([status, told.status, headers.get("cache-control")], [200, "ready", "no-store"]);
  assertEquals(Object.entries(told.checks).map(([name, { status }]) => [name, status]), [["good", "ok"], [
    "later",
    "ok",
  ]]);
});

Deno.test("health.New() is not ready while a check fails, and hides the details from clients", async () => {
  const checks: Record<string, health.CheckFunc> = {
    throws: () => {
      throw new Error("password of the database");
    },
    rejects: () => Promise.reject(new Error("10.0.0.5 refuses")),
    "returns false": () => false,
  };
  for (const [name, check] of Object.entries(checks)) {
    const { app, lines } = logged();
    health.New({ Checks: { [name]: check, fine: () => 1 } }).Register(app);
    const response = await app.fetch(new Request("http://localhost/readyz"));
    const text = await response.text();
    assertEquals([response.status, JSON.parse(text).status], [503, "not ready"]);
    assertEquals([text.includes("password"), text.includes("10.0.0.5")], [false, false]);
    assertStringIncludes(lines.join("\n"), `The health check "${name}" failed: `);
  }
});

Deno.test("health.New() logs a failing check once, and its recovery once", async () => {
  using time = new PassingTime();
  const { app, lines } = logged();
  let isBroken = true;
  health.New({ Checks: { db: () => !isBroken } }).Register(app);
  for (let i = 0; i < 3; i++, time.tick(1000)) assertEquals(await ready(app), [503, "not ready", "failed"]);
  isBroken = false;
  for (let i = 0; i < 3; i++, time.tick(1000)) assertEquals(await ready(app), [200, "ready", "ok"]);
  assertEquals(lines, [
    '[ERRO] The health check "db" failed: the check returned false',
    '[INFO] The health check "db" has recovered',
  ]);
});

Deno.test("health.New() aborts a check after its timeout, and does not start it again until it has ended", async () => {
  using time = new PassingTime();
  const { app, lines } = logged();
  const signals: AbortSignal[] = [];
  health.New({
    Timeout: 300,
    Checks: {
      hangs(signal) {
        signals.push(signal);
        return new Promise(() => {});
      },
    },
  }).Register(app);
  const first = ready(app);
  await time.runMicrotasks();
  time.tick(300);
  assertEquals(await first, [503, "not ready", "failed"]);
  assertEquals(signals.map((signal) => signal.aborted), [true]);
  time.tick(2000);
  assertEquals(await ready(app), [503, "not ready", "failed"]);
  assertEquals(signals.length, 1);
  assertStringIncludes(lines.join(), "no result within 300 ms");
});

Deno.test("health.New() runs the checks once for concurrent requests and reuses the result for a moment", async () => {
  using time = new PassingTime();
  let runs = 0;
  const app = quiet();
  health.New({ Checks: { counted: async () => void await Promise.resolve(runs++) } }).Register(app);
  await Promise.all(Array.from({ length: 20 }, () => ready(app)));
  await ready(app);
  assertEquals(runs, 1);
  time.tick(1000);
  await ready(app);
  assertEquals(runs, 2);
});

Deno.test("health.New() is not ready once a shutdown has begun", async () => {
  const app = quiet();
  health.New({ Checks: { fine: () => true } }).Register(app);
  assertEquals(await ready(app), [200, "ready", "ok"]);
  const during = Promise.withResolvers<Awaited<ReturnType<typeof ready>>>();
  // The task that was registered last runs first, so this one sees the changes made by the health module.
  const other = quiet();
  other.RegisterOnInterrupt(async () => during.resolve(await ready(other)));
  health.New().Register(other);
  await app.Shutdown();
  await other.Shutdown();
  assertEquals(await ready(app), [503, "stopping", "ok"]);
  assertEquals(await during.promise, [503, "stopping"]);
});

Deno.test("health.New() is ready again if the application is run again, unless Stop() was called", async () => {
  const app = quiet();
  const checks = health.New().Register(app);
  let listening = Promise.withResolvers<Deno.NetAddr>();
  app.Configure(
    fw.WithoutStartupLog,
    fw.WithoutInterruptHandler,
    fw.WithOnListen((address) => listening.resolve(address as Deno.NetAddr)),
  );
  for (const expected of [200, 200, 503]) {
    if (expected === 503) checks.Stop();
    listening = Promise.withResolvers();
    const running = app.Run("127.0.0.1:0");
    const response = await fetch(`http://127.0.0.1:${(await listening.promise).port}/readyz`);
    await response.text();
    assertEquals(response.status, expected);
    await app.Shutdown();
    await running;
  }
});

Deno.test("health.New() checks the session store with one line of code", async () => {
  using time = new PassingTime();
  const Store = new SpyStore();
  const app = quiet();
  health.New({ Checks: { sessions: sessions.New({ Store }) } }).Register(app);
  assertEquals(await ready(app), [200, "ready", "ok"]);
  Store.failure = new Error("gone");
  time.tick(1000);
  assertEquals(await ready(app), [503, "not ready", "failed"]);
});

Deno.test({
  name: `health.Redis() checks a Redis in one line, and does not close its client${ignoredFor(serverIsMissing)}`,
  ignore: serverIsMissing !== undefined,
  async fn() {
    const redis = await startRedis();
    const client = newClient(redis.URL);
    const app = quiet();
    health.New({ MaxAge: 0, Timeout: 30_000, Checks: { redis: health.Redis(client) } }).Register(app);
    assertEquals(await ready(app), [200, "ready", "ok"]);
    redis.process?.kill("SIGSTOP");
    const waiting = ready(app);
    await new Promise((resolve) => setTimeout(resolve, 600));
    redis.process?.kill("SIGCONT");
    assertEquals(await waiting, [200, "ready", "ok"]);
    await redis[Symbol.asyncDispose]();
    assertEquals(await ready(app), [503, "not ready", "failed"]);
    await app.Shutdown();
    assertEquals(client.isOpen, true);
    await closeClient(client);
  },
});

Deno.test("health.Redis() fails if nothing listens", async () => {
  const app = quiet();
  const client = newClient(`redis://127.0.0.1:${freePort()}`);
  health.New({ Checks: { redis: health.Redis(client) } }).Register(app);
  assertEquals(await ready(app), [503, "not ready", "failed"]);
  await app.Shutdown();
  await closeClient(client);
});

Deno.test("health.New() accepts custom paths and rejects an invalid timeout", async () => {
  const app = quiet();
  health.New({ LivePath: "/a", ReadyPath: "/b" }).Register(app);
  for (const path of ["/a", "/b"]) {
    const response = await app.fetch(new Request(`http://localhost${path}`));
    assert(response.ok);
    await response.body?.cancel();
  }
  assertThrows(() => health.New({ Timeout: 0 }), fw.FrameworkError, "it must be a positive number of milliseconds");
});

Deno.test("health.New() rejects a check that it cannot run", () => {
  for (const check of [undefined, null, {}, "db", jobs.NewMemory()]) {
    const options = { Checks: { db: check } } as unknown as health.Options;
    assertThrows(() => health.New(options), fw.FrameworkError, 'Cannot use the health check "db": it is neither');
  }
});
