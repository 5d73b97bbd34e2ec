/**
 * The tested shared stores. Each one is created for a test and removed afterwards.
 *
 * @module
 */
import type { Store } from "../../../src/state/store/store.ts";
import { anyRedis, ignoredFor, redisIsMissing, type RedisServer } from "../sessions/redis_server.ts";
import { openStore, type Place } from "./place.ts";

let redis: RedisServer | undefined = undefined;

// Redis is started before the tests, because all of them share it.
if (redisIsMissing === undefined) {
  Deno.test.beforeAll(async () => {
    redis = await anyRedis();
  });
  Deno.test.afterAll(async () => await redis?.[Symbol.asyncDispose]());
}

/** Registers a test for every kind of store. If a store is not available, its test is ignored. */
export function testEach(
  name: string,
  work: (store: Store, place: Place) => Promise<void>,
  kinds: readonly Place["kind"][] = ["memory", "sqlite", "redis"],
): void {
  for (const kind of kinds) {
    const missing = kind === "redis" ? redisIsMissing : undefined;
    Deno.test({
      name: `${name} [${kind}]${ignoredFor(missing)}`,
      ignore: missing !== undefined,
      fn: () => inFolder((folder) => useStore(placeOf(kind, folder), work)),
    });
  }
}

/** Runs a function with a folder that is removed afterwards. */
export async function inFolder(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    await work(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

function placeOf(kind: Place["kind"], folder: string): Place {
  const address = kind === "sqlite" ? `${folder}/shared.db` : kind === "redis" ? redis?.URL ?? "" : "";
  return { kind, address, prefix: `test:${crypto.randomUUID()}:` };
}

async function useStore(place: Place, work: (store: Store, place: Place) => Promise<void>): Promise<void> {
  const store = openStore(place);
  try {
    await work(store, place);
  } finally {
    await store.Close?.();
  }
}
