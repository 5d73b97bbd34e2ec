/**
 * `deno task bench session_read`: measures the cost of a session within the process, compared to the cost of its parts.
 *
 * Each row is the median of many short runs. The rows take turns, so that other load on the machine affects them
 * equally. The baseline of a store is its own work without fw: the same statement on the same SQLite file, or the same
 * script in the same Redis.
 *
 * @module
 */

import { DatabaseSync } from "node:sqlite";
import { createClient } from "npm:@redis/client@^5";
import * as fw from "@fw/web";
import * as sessions from "@fw/web/sessions";
import * as redis from "@fw/web/sessions/redis";
import * as sqlite from "@fw/web/sessions/sqlite";
import { findScript } from "../../src/state/sessions/redis_scripts.ts";
import { statements } from "../../src/state/sessions/sqlite_statements.ts";
import { closeClient, newClient } from "../state/redis/clients.ts";
import { startRedis } from "../state/sessions/redis_server.ts";

type Work = () => unknown;

/** A row of the table. */
interface Row {
  readonly name: string;
  readonly work: Work;
  /** The number of repetitions per run. */
  readonly count: number;
}

const rounds = 40;

/** Creates an application with a route that reads a session and a route that changes it. */
function newApp(store: sessions.Store): fw.Application {
  const manager = sessions.New({ Store: store, Expires: 3_600_000 });
  const app = fw.New();
  app.Get("/none", (ctx) => ctx.WriteString("1"));
  app.Get("/read", (ctx) => {
    const session = manager.Start(ctx);
    if (!(session instanceof Promise)) return ctx.WriteString(String(session.Get("n")));
    return session.then((it) => ctx.WriteString(String(it.Get("n"))));
  });
  app.Get("/increment", (ctx) => {
    const session = manager.Start(ctx);
    if (!(session instanceof Promise)) return ctx.WriteString(String(session.Increment("n")));
    return session.then((it) => ctx.WriteString(String(it.Increment("n"))));
  });
  return app;
}

/** Returns the rows for a store: a visit without a cookie, a visit that reads and a visit that changes the session. */
async function rowsOf(kind: string, store: sessions.Store, count: number): Promise<{ rows: Row[]; id: string }> {
  const app = newApp(store);
  const first = await app.fetch(new Request("http://localhost/increment"));
  const cookie = first.headers.get("set-cookie")?.split(";")[0] ?? "";
  function row(name: string, path: string, headers: HeadersInit): Row {
    const request = new Request(`http://localhost${path}`, { headers });
    return { name: `${kind}, ${name}`, work: () => app.fetch(request), count };
  }
  return {
    rows: [row("no cookie", "/read", {}), row("read", "/read", { cookie }), row("increment", "/increment", { cookie })],
    id: cookie.split("=")[1] ?? "",
  };
}

function sqliteFloor(file: string, id: string): Row {
  const database = new DatabaseSync(file);
  const statement = database.prepare(statements.load);
  return { name: "SQLite itself, read", work: () => statement.all(id, Date.now()), count: 400 };
}

async function redisFloor(url: string, id: string): Promise<{ row: Row; close: () => void }> {
  const client = createClient({ url });
  await client.connect();
  await client.sendCommand(["SCRIPT", "LOAD", findScript.text]);
  const command = ["EVALSHA", findScript.digest, "1", `fw:session:id:${id}`, "fw:session:", id];
  const work = () => client.sendCommand(command);
  return { row: { name: "Redis itself, read", work, count: 100 }, close: () => client.destroy() };
}

async function run(row: Row): Promise<number> {
  const begin = performance.now();
  for (let i = 0; i < row.count; i++) {
    const result = row.work();
    if (result instanceof Promise) await result;
  }
  return (performance.now() - begin) / row.count * 1000;
}

async function main(): Promise<void> {
  const folder = await Deno.makeTempDir();
  const file = `${folder}/sessions.db`;
  await using server = await startRedis();
  const client = newClient(server.URL);
  const stores = { memory: sessions.NewMemory(), sqlite: sqlite.New({ File: file }), redis: redis.New(client) };
  const bare = newApp(stores.memory);
  const request = new Request("http://localhost/none");
  const inMemory = await rowsOf("memory", stores.memory, 4000);
  const inSQLite = await rowsOf("SQLite", stores.sqlite, 400);
  const inRedis = await rowsOf("Redis", stores.redis, 100);
  const floor = await redisFloor(server.URL, inRedis.id);
  const rows: Row[] = [
    { name: "no session", work: () => bare.fetch(request), count: 4000 },
    ...inMemory.rows,
    sqliteFloor(file, inSQLite.id),
    ...inSQLite.rows,
    floor.row,
    ...inRedis.rows,
  ];
  const times = rows.map((): number[] => []);
  for (let round = 0; round < rounds; round++) {
    for (const [index, row] of rows.entries()) times[index]?.push(await run(row));
  }
  for (const [index, row] of rows.entries()) {
    const sorted = (times[index] ?? []).toSorted((a, b) => a - b);
    const [median = NaN, low = NaN] = [sorted[rounds >> 1], sorted[rounds / 10 | 0]];
    // deno-lint-ignore no-console -- this is a command-line program
    console.log(`${row.name.padEnd(24)}${median.toFixed(2).padStart(9)} µs${low.toFixed(2).padStart(9)} µs at best`);
  }
  floor.close();
  for (const store of Object.values(stores)) await store.Close?.();
  await closeClient(client);
  await Deno.remove(folder, { recursive: true });
}

await main();
