/**
 * `deno run -A tests/bench/sessions.ts`: measures the cost of a session for each store.
 *
 * Measures the requests per second of a route that reads a session value and of a route that increments one, compared
 * to the same route without a session, as well as the number of store calls per request. All routes run in one server
 * process on one core. `wrk` runs on the other core, together with Redis. Each route is measured between two runs of
 * the route without a session.
 *
 * Options: --launches=N (3), --seconds=N per measurement (1).
 *
 * @module
 */

import { fromFileUrl } from "@std/path";
import * as fw from "@fw/web";
import * as sessions from "@fw/web/sessions";
import * as redis from "@fw/web/sessions/redis";
import * as sqlite from "@fw/web/sessions/sqlite";
import { newClient } from "../state/redis/clients.ts";
import { startRedis } from "../state/sessions/redis_server.ts";
import { SpyStore } from "../state/sessions/spy_store.ts";
import { serve, Visitor } from "../state/sessions/visitor.ts";

const decoder = new TextDecoder();
const kinds = ["memory", "sqlite", "redis"] as const;
type Stores = Record<typeof kinds[number], sessions.Store>;

function openStores(folder: string, redisURL: string): Stores {
  return {
    memory: sessions.NewMemory(),
    sqlite: sqlite.New({ File: `${folder}/sessions.db` }),
    redis: redis.New(newClient(redisURL)),
  };
}

/** Creates an application with a route for every store. Each store has its own cookie. */
function newApp(stores: Stores): fw.Application {
  const app = fw.New();
  app.Get("/none/read", (ctx) => ctx.WriteString("1"));
  for (const kind of kinds) {
    const manager = sessions.New({ Store: stores[kind], Cookie: kind, Expires: 3_600_000 });
    app.Get(`/${kind}/read`, async (ctx) => {
      const session = manager.Start(ctx);
      ctx.WriteString(String((session instanceof Promise ? await session : session).Get("n")));
    });
    app.Get(`/${kind}/increment`, async (ctx) => {
      const session = manager.Start(ctx);
      ctx.WriteString(String((session instanceof Promise ? await session : session).Increment("n")));
    });
  }
  return app;
}

/** Returns the cookie of a session that exists in the store. */
async function cookieFor(ask: (request: Request) => Response | Promise<Response>, origin: string, kind: string) {
  const visitor = new Visitor(ask, origin);
  await visitor.ask(`/${kind}/increment`);
  return visitor.cookie;
}

async function measure(url: string, cookie: string, seconds: number): Promise<number> {
  const args = ["-c", "1", "wrk", "-t1", "-c64", `-d${seconds}s`, "-H", `Cookie: ${cookie}`, url];
  const report = decoder.decode((await new Deno.Command("taskset", { args, stderr: "inherit" }).output()).stdout);
  if (/Non-2xx/.test(report)) throw new Error(`Cannot measure "${url}": not every response was 2xx`);
  return Number(/Requests\/sec:\s+([\d.]+)/.exec(report)?.[1]);
}

async function startServer(folder: string, redisURL: string): Promise<{ child: Deno.ChildProcess; origin: string }> {
  const file = fromFileUrl(import.meta.url);
  const args = ["-c", "0", Deno.execPath(), "run", "-A", "--no-check", file, "serve", folder, redisURL];
  const child = new Deno.Command("taskset", { args, stdout: "piped" }).spawn();
  const reader = child.stdout.getReader();
  const { value } = await reader.read();
  reader.releaseLock();
  return { child, origin: decoder.decode(value).trim() };
}

/** Counts the store calls for a hundred requests. */
async function countCalls(store: sessions.Store, path: string): Promise<[reads: number, writes: number]> {
  const spy = new SpyStore(store);
  const app = newApp({ memory: spy, sqlite: spy, redis: spy });
  const visitor = new Visitor(app.fetch);
  await visitor.ask("/memory/increment");
  spy.reset();
  for (let i = 0; i < 100; i++) await visitor.ask(`/memory/${path}`);
  return [spy.reads / 100, spy.writes / 100];
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;
}

async function main(): Promise<void> {
  const options = new Map(Deno.args.map((arg) => arg.replace(/^--/, "").split("=", 2) as [string, string]));
  const [launches, seconds] = [Number(options.get("launches") ?? 3), Number(options.get("seconds") ?? 1)];
  const rows = kinds.flatMap((kind) => ["read", "increment"].map((path) => ({ kind, path })));
  const rates = new Map<string, number[]>();
  const shares = new Map<string, number[]>();
  const folder = await Deno.makeTempDir();
  await using server = await startRedis();
  for (let launch = 0; launch < launches; launch++) {
    const { child, origin } = await startServer(folder, server.URL);
    const cookies = new Map<string, string>();
    for (const kind of kinds) cookies.set(kind, await cookieFor(fetch, origin, kind));
    await measure(`${origin}/none/read`, "a=b", 2);
    for (const { kind, path } of rows) {
      const [name, cookie] = [`${kind}/${path}`, cookies.get(kind) ?? ""];
      await measure(`${origin}/${name}`, cookie, 1);
      const before = await measure(`${origin}/none/read`, cookie, seconds);
      const rate = await measure(`${origin}/${name}`, cookie, seconds);
      const after = await measure(`${origin}/none/read`, cookie, seconds);
      rates.set(name, [...rates.get(name) ?? [], rate]);
      shares.set(name, [...shares.get(name) ?? [], 2 * rate / (before + after)]);
      rates.set("none", [...rates.get("none") ?? [], before, after]);
    }
    child.kill();
    await child.stdout.cancel();
    await child.status;
  }
  print(`${"".padEnd(18)}${"req/s".padStart(8)}${"share".padStart(8)}${"reads".padStart(8)}${"writes".padStart(8)}`);
  print(`${"no session".padEnd(18)}${String(Math.round(median(rates.get("none") ?? []))).padStart(8)}`);
  const stores = openStores(folder, server.URL);
  for (const { kind, path } of rows) {
    const name = `${kind}/${path}`;
    const cells = [median(rates.get(name) ?? []).toFixed(0), median(shares.get(name) ?? []).toFixed(2)];
    const calls = (await countCalls(stores[kind], path)).map(String);
    print(`${name.padEnd(18)}${[...cells, ...calls].map((cell) => cell.padStart(8)).join("")}`);
  }
  print(`Medians of ${launches} launches; reads and writes are calls to the store a request.`);
  for (const kind of kinds) await stores[kind].Close?.();
  await Deno.remove(folder, { recursive: true });
}

function print(line: string): void {
  // deno-lint-ignore no-console -- this is a command-line program
  console.log(line);
}

if (import.meta.main) {
  const [command, folder = "", redisURL = ""] = Deno.args;
  if (command === "serve") {
    const { origin } = serve(newApp(openStores(folder, redisURL)).fetch);
    await Deno.stdout.write(new TextEncoder().encode(`${origin}\n`));
  } else {
    await main();
  }
}
