import { assert, assertEquals, assertLessOrEqual } from "@std/assert";
import { DatabaseSync } from "node:sqlite";
import { setImmediate } from "node:timers";
import { createClient } from "npm:@redis/client@^5";
import * as redis from "../../../src/state/sessions/redis.ts";
import * as sessions from "../../../src/state/sessions/mod.ts";
import * as sqlite from "../../../src/state/sessions/sqlite.ts";
import type { Store } from "../../../src/state/sessions/store.ts";
import { ignoredFor, serverIsMissing, startRedis } from "./redis_server.ts";

const count = 1500;
const long = 60_000;

async function fill(store: Store): Promise<string[]> {
  const ids = Array.from({ length: count }, (_, at) => `session-${String(at).padStart(5, "0")}`);
  for (const id of ids) await store.Create(id, new Map([["a", "1"], ["b", '"two"']]), long);
  return ids;
}

/** Counts the rows at every turn of the event loop while work is in flight. */
async function countedTurns(rows: () => number, work: Promise<unknown>): Promise<number[]> {
  const counts = [rows()];
  let isDone = false;
  const done = work.finally(() => isDone = true);
  while (!isDone) {
    await new Promise((resolve) => void setImmediate(resolve));
    counts.push(rows());
  }
  await done;
  return counts;
}

Deno.test("DestroyAll() of the memory store destroys all sessions at once and collects their IDs in slices", async () => {
  const store = sessions.NewMemory();
  const ids = await fill(store);
  const loaded = await store.Load(ids[7] ?? "");
  const destroyed = store.DestroyAll?.();
  assert(destroyed instanceof Promise, "The IDs are collected in one turn");
  // Nothing is left when the call returns, and sessions that are created from now on remain.
  assertEquals(await store.Load(ids[0] ?? ""), null);
  assertEquals(await loaded?.Destroy(), false);
  assertEquals(await store.Create(ids[0] ?? "", new Map(), long), true);
  assertEquals((await destroyed).toSorted(), ids);
  assert(await store.Load(ids[0] ?? "") !== null);
});

Deno.test("DestroyAll() of the SQLite store removes at most 100 sessions per turn of the event loop", async () => {
  const folder = await Deno.makeTempDir();
  const File = `${folder}/sessions.db`;
  const store = sqlite.New({ File });
  const manager = sessions.New({ Store: store });
  const destroyed: string[] = [];
  manager.OnDestroy((id) => destroyed.push(id));
  try {
    const ids = await fill(store);
    await store.Create("expired", new Map(), 1);
    using observer = new DatabaseSync(File, { readOnly: true });
    const statement = observer.prepare("SELECT count(*) AS n FROM fw_session");
    let later: Promise<boolean> | undefined = undefined;
    const counts = await countedTurns(() => {
      const { n } = statement.get() as { n: number };
      // A session that is created in the meantime is not destroyed.
      if (n < count && later === undefined) later = Promise.resolve(store.Create("later", new Map(), long));
      return n;
    }, manager.DestroyAll().then((n) => assertEquals(n, count)));
    assertEquals(await later, true);
    const steps = counts.slice(1).map((n, at) => (counts[at] ?? 0) - n);
    assertLessOrEqual(Math.max(...steps), 100);
    assert(steps.filter((step) => step > 0).length >= count / 100, String(steps));
    assertEquals(destroyed.toSorted(), ids);
    assert(await store.Load("later") !== null);
    assertEquals(await store.Load(ids[0] ?? ""), null);
  } finally {
    await manager.Close();
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test({
  name: `DestroyAll() of the Redis store destroys up to 100 sessions with each script${ignoredFor(serverIsMissing)}`,
  ignore: serverIsMissing !== undefined,
  async fn() {
    await using server = await startRedis();
    const client = createClient({ url: server.URL });
    await client.connect();
    try {
      const store = redis.New(client);
      const ids = await fill(store);
      await client.sendCommand(["SET", "other", "kept"]);
      await client.sendCommand(["CONFIG", "RESETSTAT"]);
      assertEquals((await store.DestroyAll?.() ?? []).toSorted(), ids);
      const stats = String(await client.sendCommand(["INFO", "commandstats"]));
      const calls = (name: string) => Number(RegExp(`cmdstat_${name}:calls=(\\d+)`).exec(stats)?.[1] ?? 0);
      const scripts = calls("evalsha") + calls("eval");
      assert(scripts >= count / 100 && scripts <= count / 100 + 20, stats);
      assertEquals(Number(await client.sendCommand(["DBSIZE"])), 1);
      await store.Close?.();
    } finally {
      await client.close();
    }
  },
});
