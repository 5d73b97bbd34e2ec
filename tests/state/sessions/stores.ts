/**
 * The tested stores. Each one is created for a test and removed afterwards.
 *
 * @module
 */
import { type KV, New as newKV } from "../../../src/state/sessions/kv.ts";
import { NewMemory } from "../../../src/state/sessions/memory.ts";
import { New as newRedis } from "../../../src/state/sessions/redis.ts";
import { New as newSQLite } from "../../../src/state/sessions/sqlite.ts";
import type { Store } from "../../../src/state/sessions/store.ts";
import { withClient } from "../redis/clients.ts";
import { anyRedis, ignoredFor, redisIsMissing, type RedisServer } from "./redis_server.ts";
import { testSideBySide } from "../../side_by_side.ts";

/** A kind of store. */
export interface Kind {
  readonly name: string;
  /** The reason why it cannot be tested here. */
  readonly missing: string | undefined;
  /** Runs a function with a new store and closes it. */
  readonly use: (work: (store: Store) => Promise<void>) => Promise<void>;
}

let redis: RedisServer | undefined = undefined;

// Redis is started before the tests, because all of them share it.
if (redisIsMissing === undefined) {
  Deno.test.beforeAll(async () => {
    redis = await anyRedis();
  });
  Deno.test.afterAll(async () => await redis?.[Symbol.asyncDispose]());
}

/** Returns the URL of the Redis server for this test file. */
export function redisURL(): string {
  if (redis === undefined) throw new Error("Cannot name a Redis: none was started");
  return redis.URL;
}

/** Opens a store in Redis with a separate client. */
export function openRedis(Prefix: string, Timeout = 5000): Store {
  return withClient(redisURL(), (client) => newRedis(client, { Prefix, Timeout }));
}

// Only available with --unstable-kv.
const openKv = (Deno as unknown as { openKv?: (path: string) => Promise<KV> }).openKv;

/** All kinds of stores. Those that need a server or a flag are last. */
export const kinds: readonly Kind[] = [
  { name: "memory", missing: undefined, use: (work) => useStore(NewMemory(), work) },
  { name: "sqlite", missing: undefined, use: useSQLite },
  {
    name: "redis",
    missing: redisIsMissing,
    // The timeout is long, because the tests do not measure the speed of a busy machine.
    use: (work) => useStore(openRedis(`test:${crypto.randomUUID()}:`), work),
  },
  {
    name: "kv",
    missing: openKv === undefined ? "Deno KV needs --unstable-kv" : undefined,
    use: useKV,
  },
];

/** Registers a test for every kind of store. If a store is not available, its test is ignored. */
export function testEach(name: string, work: (store: Store) => Promise<void>): void {
  for (const kind of kinds) {
    Deno.test({
      name: `${name} [${kind.name}]${ignoredFor(kind.missing)}`,
      ignore: kind.missing !== undefined,
      fn: () => kind.use(work),
    });
  }
}

/** Registers a test for every kind of store, like `testEach()`. All of them run side by side. */
export function testEachSideBySide(name: string, work: (store: Store) => Promise<void>): void {
  testSideBySide(kinds.map((kind) => ({
    name: `${name} [${kind.name}]${ignoredFor(kind.missing)}`,
    ignore: kind.missing !== undefined,
    fn: () => kind.use(work),
  })));
}

async function useKV(work: (store: Store) => Promise<void>): Promise<void> {
  using database = await (openKv as (path: string) => Promise<KV & Disposable>)(":memory:");
  await useStore(newKV(database), work);
}

async function useSQLite(work: (store: Store) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    await useStore(newSQLite({ File: `${folder}/sessions.db` }), work);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

async function useStore(store: Store, work: (store: Store) => Promise<void>): Promise<void> {
  let closed = false;
  const close = store.Close?.bind(store);
  store.Close = () => {
    closed = true;
    return close?.();
  };
  try {
    await work(store);
  } finally {
    if (!closed) await store.Close();
  }
}
