import { assert, assertEquals, assertRejects } from "@std/assert";
import { PassingTime } from "../../clocks.ts";
import * as fw from "../../../mod.ts";
import { FrameworkError, HTTPError } from "../../../src/base/errors/errors.ts";
import * as sessions from "../../../src/state/sessions/mod.ts";
import { New as newRedis } from "../../../src/state/sessions/redis.ts";
import { New as newSQLite } from "../../../src/state/sessions/sqlite.ts";
import { withClient } from "../redis/clients.ts";
import { linesWith, logOf } from "../store/kept_log.ts";
import { ignoredFor, type RedisServer, serverIsMissing, startRedis } from "./redis_server.ts";
import { newSite } from "./site.ts";
import { SpyStore } from "./spy_store.ts";
import { serve, Visitor } from "./visitor.ts";

Deno.test("Sessions.Start() responds with 503 while the store fails, never with an empty session, and recovers", async () => {
  const Store = new SpyStore();
  const app = newSite(Store);
  const log = logOf(app);
  const visitor = new Visitor(app.fetch);
  assertEquals([await visitor.ask("/increment"), await visitor.ask("/increment")], ["1", "2"]);
  using time = new PassingTime();
  for (let outage = 1; outage <= 2; outage++) {
    Store.failure = new Error("connection refused by 10.0.0.5");
    for (let i = 0; i < 5; i++) {
      assertEquals([await visitor.ask("/read"), visitor.status, visitor.line], ["Service Unavailable", 503, ""]);
    }
    Store.failure = undefined;
    assertEquals([await visitor.ask("/read"), await visitor.ask("/read")], ["2", "2"]);
    app.Logger().Flush();
    assertEquals(linesWith(log, "Cannot reach the session store"), outage);
    assertEquals(linesWith(log, "The session store is back"), outage);
    time.tick(2000);
  }
  assertEquals(linesWith(log, "connection refused by 10.0.0.5") > 0, true);
});

Deno.test("Session.Set() responds with 503 if the store fails at the end of the request", async () => {
  const Store = new SpyStore();
  const manager = sessions.New({ Store });
  const app = fw.New();
  logOf(app);
  let failure: Error | undefined = undefined;
  app.Get("/", async (ctx) => {
    const session = await manager.Start(ctx);
    session.Increment("n");
    Store.failure = failure;
    ctx.WriteString("counted");
  });
  const [visitor, stranger] = [new Visitor(app.fetch), new Visitor(app.fetch)];
  await visitor.ask("/");
  failure = new Error("gone");
  assertEquals([await visitor.ask("/"), visitor.status, visitor.line], ["Service Unavailable", 503, ""]);
  Store.failure = undefined;
  assertEquals([await stranger.ask("/"), stranger.status, stranger.line], ["Service Unavailable", 503, ""]);
});

Deno.test("Session.GetFlash() and Sessions.DestroyByID() fail with HTTPError 503 if the store fails", async () => {
  const Store = new SpyStore();
  const manager = sessions.New({ Store });
  const app = fw.New();
  logOf(app);
  app.Get("/set", async (ctx) => (await manager.Start(ctx)).SetFlash("a", 1));
  app.Get("/take", async (ctx) => {
    const session = await manager.Start(ctx);
    Store.failure = new Error("gone");
    await session.GetFlash("a");
  });
  const visitor = new Visitor(app.fetch);
  await visitor.ask("/set");
  await visitor.ask("/take");
  assertEquals(visitor.status, 503);
  const error = await assertRejects(() => manager.DestroyByID(visitor.id), HTTPError);
  assertEquals([error.Status, error.Code], [503, "FW_SESSION"]);
});

Deno.test("Sessions.Start() rethrows fw's own errors, because a mistake in the application is not an outage", async () => {
  const Store = new SpyStore();
  const app = newSite(Store);
  const log = logOf(app);
  const visitor = new Visitor(app.fetch);
  await visitor.ask("/increment");
  Store.failure = new FrameworkError("FW_SESSION", "Cannot write a session: it is too large");
  await visitor.ask("/increment");
  app.Logger().Flush();
  assertEquals([visitor.status, linesWith(log, "Cannot reach the session store")], [500, 0]);
});

Deno.test("Sessions.Start() fails with 503 when the store hangs, and logs the timeout", async () => {
  const app = newSite({ Load: () => new Promise(() => {}), Create: () => new Promise(() => {}) });
  const log = logOf(app);
  using time = new PassingTime();
  const visitor = new Visitor(app.fetch);
  visitor.cookie = "fwsessionid=abc";
  const reading = visitor.ask("/read");
  await time.runMicrotasks();
  time.tick(5000);
  assertEquals([await reading, visitor.status], ["Service Unavailable", 503]);
  app.Logger().Flush();
  assertEquals(linesWith(log, "No response within 5000 ms"), 1);
});

Deno.test({
  name: "New() of the SQLite store can read on a full disk, responds with 503 to writes and logs once",
  // Mounting a small disk requires Linux and root.
  ignore: Deno.build.os !== "linux" || Deno.uid() !== 0,
  async fn() {
    const folder = await Deno.makeTempDir();
    const mount = new Deno.Command("mount", { args: ["-t", "tmpfs", "-o", "size=1m", "tmpfs", folder] });
    const isMounted = (await mount.output()).success;
    try {
      if (isMounted) await fillDisk(folder);
    } finally {
      if (isMounted) await new Deno.Command("umount", { args: [folder] }).output();
      await Deno.remove(folder, { recursive: true });
    }
  },
});

async function fillDisk(folder: string): Promise<void> {
  const store = newSQLite({ File: `${folder}/sessions.db` });
  try {
    const app = newSite(store);
    const log = logOf(app);
    const visitor = new Visitor(app.fetch);
    await visitor.ask("/increment");
    const padding = await Deno.open(`${folder}/padding`, { write: true, create: true });
    try {
      while (true) padding.writeSync(new Uint8Array(4096));
    } catch (error) {
      assert(error instanceof Error && error.message.includes("No space left"), String(error));
    } finally {
      padding.close();
    }
    for (let i = 0; i < 100; i++) {
      assertEquals([await visitor.ask(`/set/key${i}`), visitor.status], ["Service Unavailable", 503]);
      assertEquals([await visitor.ask("/read"), visitor.status], ["1", 200]);
    }
    await Deno.remove(`${folder}/padding`);
    assertEquals([await visitor.ask("/increment"), visitor.status], ["2", 200]);
    app.Logger().Flush();
    assertEquals(log.filter((line) => line.startsWith("[")).length, 2, log.join("\n"));
    assertEquals(linesWith(log, "database or disk is full"), 1);
  } finally {
    await store.Close?.();
  }
}

Deno.test({
  name: `New() of the Redis store at its memory limit continues to read, responds with 503 to writes and logs once${
    ignoredFor(serverIsMissing)
  }`,
  ignore: serverIsMissing !== undefined,
  async fn() {
    await using redis = await startRedis();
    const store = withClient(redis.URL, (client) => newRedis(client, { Timeout: 5000 }));
    try {
      const app = newSite(store);
      const log = logOf(app);
      const visitor = new Visitor(app.fetch);
      await visitor.ask("/increment");
      await command(redis, "CONFIG SET maxmemory 1");
      for (let i = 0; i < 100; i++) {
        assertEquals([await visitor.ask(`/set/key${i}`), visitor.status], ["Service Unavailable", 503]);
        assertEquals([await visitor.ask("/read"), visitor.status], ["1", 200]);
      }
      await command(redis, "CONFIG SET maxmemory 0");
      assertEquals([await visitor.ask("/increment"), visitor.status], ["2", 200]);
      app.Logger().Flush();
      assertEquals(log.filter((line) => line.startsWith("[")).length, 2, log.join("\n"));
    } finally {
      await store.Close?.();
    }
  },
});

/** Sends a command to Redis. */
async function command(redis: RedisServer, text: string): Promise<void> {
  const { hostname, port } = new URL(redis.URL);
  using connection = await Deno.connect({ hostname, port: Number(port) });
  await connection.write(new TextEncoder().encode(`${text}\r\n`));
  const reply = new Uint8Array(64);
  const length = await connection.read(reply);
  assertEquals(new TextDecoder().decode(reply.subarray(0, length ?? 0)), "+OK\r\n");
}

/** The outcome of a request. */
interface Seen {
  readonly begin: number;
  readonly end: number;
  readonly status: number;
}

/** Keeps visitors busy and records the outcome of each request. */
class Load {
  readonly #visitors: Visitor[];
  #isOver = false;
  #running: Promise<unknown> = Promise.resolve();
  /** All requests in the order of their responses. */
  readonly seen: Seen[] = [];
  /** The number of successful increments per visitor. */
  readonly counted: number[];

  constructor(origin: string, visitors: number) {
    this.#visitors = Array.from({ length: visitors }, () => new Visitor(fetch, origin));
    this.counted = this.#visitors.map(() => 0);
  }

  async begin(): Promise<void> {
    for (const visitor of this.#visitors) await visitor.ask("/set/begun");
    this.#running = Promise.all(this.#visitors.map((visitor, i) => this.#keepAsking(visitor, i)));
  }

  async end(): Promise<number[]> {
    this.#isOver = true;
    await this.#running;
    return await Promise.all(this.#visitors.map(async (visitor) => Number(await visitor.ask("/read"))));
  }

  /** Waits for a number of requests that begin after a moment, and returns them. */
  async since(from: number, count: number, status?: number): Promise<Seen[]> {
    while (true) {
      const since = this.seen.filter((it) => it.begin >= from && (status === undefined || it.status === status));
      if (since.length >= count) return since;
      await wait(10);
    }
  }

  async #keepAsking(visitor: Visitor, index: number): Promise<void> {
    while (!this.#isOver) {
      const begin = performance.now();
      await visitor.ask("/increment");
      const { status } = visitor;
      this.seen.push({ begin, end: performance.now(), status });
      if (status === 200) this.counted[index] = (this.counted[index] ?? 0) + 1;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }
}

function wait(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

interface Stopping {
  /** The timeout of the store. If possible, it is long, because Redis may also be slow on a busy machine. */
  timeout: number;
  stop: (redis: RedisServer) => Promise<void> | void;
  restart: (redis: RedisServer, port: number, folder: string) => Promise<RedisServer>;
}

/** Stops Redis while requests are being sent. */
async function takeAway({ timeout, stop, restart }: Stopping): Promise<void> {
  const folder = await Deno.makeTempDir();
  let redis = await startRedis(undefined, folder);
  const store = withClient(redis.URL, (client) => newRedis(client, { Timeout: timeout }));
  try {
    const app = newSite(store);
    const log = logOf(app);
    await using server = serve(app.fetch);
    const load = new Load(server.origin, 10);
    await load.begin();
    const before = await load.since(0, 100);
    await stop(redis);
    const during = await load.since(performance.now(), 10);
    redis = await restart(redis, Number(new URL(redis.URL).port), folder);
    const [first] = await load.since(performance.now(), 1, 200);
    const after = await load.since(first?.end ?? Infinity, 100);
    const counters = await load.end();
    app.Logger().Flush();

    for (const [what, seen, status] of [["before", before, 200], ["during", during, 503], ["after", after, 200]]) {
      assertEquals([what, ...new Set((seen as Seen[]).map((it) => it.status))], [what, status]);
    }
    assertEquals([...new Set(load.seen.map(({ status }) => status))].sort(), [200, 503]);
    // All successful increments are stored. Increments that failed with 503 may be stored too, if the reply was lost
    // after the command had run.
    counters.forEach((counter, i) => assert(counter >= (load.counted[i] ?? 0), `${counter} < ${load.counted[i]}`));
    assertEquals(linesWith(log, "the session store, requests get 503"), 1, log.join("\n"));
    assertEquals(linesWith(log, "The session store is back"), 1, log.join("\n"));
  } finally {
    await store.Close?.();
    await redis[Symbol.asyncDispose]();
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test({
  name: `New() of the Redis store responds with 503 while Redis is killed under load, and recovers${
    ignoredFor(serverIsMissing)
  }`,
  ignore: serverIsMissing !== undefined,
  fn: () =>
    takeAway({
      timeout: 30_000,
      stop: (redis) => redis[Symbol.asyncDispose]() as Promise<void>,
      restart: (_, port, folder) => startRedis(port, folder),
    }),
});

Deno.test({
  name: `New() of the Redis store responds with 503 while Redis is frozen under load, and recovers${
    ignoredFor(serverIsMissing)
  }`,
  ignore: serverIsMissing !== undefined,
  fn: () =>
    takeAway({
      timeout: 4000,
      stop: (redis) => redis.process?.kill("SIGSTOP"),
      restart: (redis) => {
        redis.process?.kill("SIGCONT");
        return Promise.resolve(redis);
      },
    }),
});
