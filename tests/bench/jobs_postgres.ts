/**
 * `deno run -A tests/bench/jobs_postgres.ts`: measures jobs in PostgreSQL: fw, graphile-worker and a bare claim loop.
 *
 * Measures the jobs per second of a backlog, the latency of an idle queue and the memory of the process afterwards. Each
 * measurement is made in a new process, in turns. PostgreSQL and the process share the cores of the machine.
 *
 * Options: --rounds=N (3), --jobs=N (10000), --concurrency=N (10), --only=NAME.
 *
 * @module
 */

import pg from "npm:pg@^8";
import { fromFileUrl } from "@std/path";
import * as jobs from "@fw/web/jobs";
import * as postgres from "@fw/web/jobs/postgres";
import { startPostgres } from "../recipes/postgres_server.ts";

/** A running worker. */
interface Worker {
  /** Adds a job. */
  add(): Promise<unknown>;
  stop(): Promise<unknown>;
}

interface Subject {
  /** Creates the tables and adds jobs. */
  prepare(pool: pg.Pool, count: number): Promise<unknown>;
  /** Starts a worker that calls a function for each job. */
  start(pool: pg.Pool, concurrency: number, done: () => void): Promise<Worker>;
}

interface Figures {
  readonly rate: number;
  readonly idle: number;
  readonly memory: number;
}

/** The part of graphile-worker that is used here. */
interface Graphile {
  Logger: new (factory: () => () => void) => object;
  runMigrations(options: object): Promise<void>;
  run(options: object): Promise<{ addJob(name: string, data: object): Promise<unknown>; stop(): Promise<void> }>;
}

/** Loads graphile-worker. It is not imported, because its dependencies change the types of Node.js everywhere. */
async function loadGraphile(): Promise<Graphile> {
  const name = "npm:graphile-worker@^0.18.0";
  return await import(name);
}

/** Creates the subject for graphile-worker, with its default options or with those for a high throughput. */
function graphile(tuned: Record<string, unknown>): Subject {
  return {
    async prepare(pool, count) {
      const { Logger, runMigrations } = await loadGraphile();
      await runMigrations({ pgPool: pool, logger: new Logger(() => () => {}) });
      await pool.query("SELECT graphile_worker.add_job('work', '{}') FROM generate_series(1, $1)", [count]);
    },
    async start(pool, concurrency, done) {
      const { Logger, run } = await loadGraphile();
      const logger = new Logger(() => () => {});
      const taskList = { work: () => done() };
      const preset = { worker: { concurrentJobs: concurrency, ...tuned } };
      const runner = await run({ pgPool: pool, logger, taskList, noHandleSignals: true, preset });
      return { add: () => runner.addJob("work", {}), stop: () => runner.stop() };
    },
  };
}

/** The least that a queue needs: one table, a claim of as many jobs as there is room for, and `NOTIFY`. */
const bare: Subject = {
  async prepare(pool, count) {
    await pool.query("CREATE TABLE bare (id bigserial PRIMARY KEY, data text, lease timestamptz)");
    await pool.query("INSERT INTO bare (data) SELECT '{}' FROM generate_series(1, $1)", [count]);
  },
  async start(pool, concurrency, done) {
    let isRunning = true;
    let wake = Promise.withResolvers<void>();
    const listener = await pool.connect();
    listener.on("notification", () => wake.resolve());
    await listener.query("LISTEN bare");
    const loop = async () => {
      while (isRunning) {
        wake = Promise.withResolvers();
        const { rows } = await pool.query(
          `UPDATE bare SET lease = now() + interval '30 s' WHERE id IN (
             SELECT id FROM bare WHERE lease IS NULL ORDER BY id LIMIT ${concurrency} FOR UPDATE SKIP LOCKED
           ) RETURNING id, data`,
        );
        if (rows.length === 0) {
          await wake.promise;
          continue;
        }
        for (const _ of rows) done();
        await pool.query("DELETE FROM bare WHERE id = ANY ($1)", [rows.map((row: { id: string }) => row.id)]);
      }
    };
    const ended = loop();
    return {
      add: () => pool.query("WITH job AS (INSERT INTO bare (data) VALUES ('{}')) SELECT pg_notify('bare', '')"),
      async stop() {
        isRunning = false;
        const waking = setInterval(() => wake.resolve(), 10);
        await ended;
        clearInterval(waking);
        listener.release(true);
      },
    };
  },
};

/** A queue of fw. */
const fw: Subject = {
  async prepare(pool, count) {
    const store = postgres.New(pool);
    await store.Migrate();
    const newJob = (): jobs.NewJob => ({
      ID: crypto.randomUUID(),
      Queue: "default",
      Name: "work",
      Data: "{}",
      Due: Date.now(),
      Priority: 0,
      MaxAttempts: 10,
      Key: null,
      KeyUntil: null,
      Group: null,
      Trace: null,
    });
    for (let left = count; left > 0; left -= 1000) {
      await store.Add(Array.from({ length: Math.min(left, 1000) }, newJob), Date.now());
    }
  },
  start(pool, concurrency, done) {
    const store = postgres.New(pool, {
      async Listen(channel, wake, lost) {
        const client = new pg.Client(pool.options);
        client.on("notification", wake).on("error", lost);
        await client.connect();
        await client.query(`LISTEN ${channel}`);
        return () => client.end();
      },
    });
    function work(_: object): void {
      done();
    }
    const queue = jobs.New(store, { Concurrency: concurrency, KeepDone: 0 }).Handle(work);
    const ended = queue.Run();
    return Promise.resolve({
      add: () => queue.Add(work, {}),
      async stop() {
        await queue.Shutdown();
        await ended;
      },
    });
  },
};

/** The store of fw in a loop, without a queue. */
const store: Subject = {
  prepare: fw.prepare,
  start(pool, concurrency, done) {
    const store = postgres.New(pool);
    let isRunning = true;
    const loop = async () => {
      while (isRunning) {
        const Now = Date.now();
        const request = { Queue: "default", Names: ["work"], Count: concurrency, Now, LeaseUntil: Now + 30_000 };
        const { Jobs } = await store.Claim({ ...request, Limits: {}, GroupLimits: {} });
        for (const _ of Jobs) done();
        if (Jobs.length > 0) {
          await store.Finish(Jobs.map(({ ID, Token }) => ({ ID, Token, State: "done", KeepUntil: Now })), Now);
        } else {
          await new Promise((resolve) => setTimeout(resolve, 5));
        }
      }
    };
    const ended = loop();
    return Promise.resolve({
      add: () => fw.prepare(pool, 1),
      async stop() {
        isRunning = false;
        await ended;
      },
    });
  },
};

const subjects: Readonly<Record<string, Subject>> = {
  "bare": bare,
  "graphile-worker": graphile({}),
  "fw": fw,
  "fw, the store alone": store,
  "graphile-worker, tuned": graphile({ localQueue: { size: 100 }, completeJobBatchDelay: 0, failJobBatchDelay: 0 }),
};

/** Measures one subject in this process. */
async function measure(name: string, url: string, count: number, concurrency: number): Promise<Figures> {
  const subject = subjects[name] as Subject;
  const pool = new pg.Pool({ connectionString: url, max: Math.min(concurrency, 20) + 2 });
  pool.on("error", () => {});
  await subject.prepare(pool, count);
  await pool.query("VACUUM ANALYZE");
  let left = count;
  let ended = Promise.withResolvers<void>();
  const begin = performance.now();
  const worker = await subject.start(pool, concurrency, () => {
    if (--left === 0) ended.resolve();
  });
  await ended.promise;
  const rate = count / (performance.now() - begin) * 1000;
  const { rss } = Deno.memoryUsage();
  const latencies: number[] = [];
  for (let i = 0; i < 100; i++) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    left = 1;
    ended = Promise.withResolvers();
    const added = performance.now();
    await Promise.all([worker.add(), ended.promise]);
    latencies.push(performance.now() - added);
  }
  await worker.stop();
  await pool.end();
  return { rate, idle: median(latencies), memory: rss / 2 ** 20 };
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? NaN;
}

function print(line: string): void {
  // deno-lint-ignore no-console -- this is a command-line program
  console.log(line);
}

function option(name: string, fallback: number): number {
  return Number(Deno.args.find((arg) => arg.startsWith(`--${name}=`))?.split("=")[1] ?? fallback);
}

if (import.meta.main) {
  const [count, concurrency] = [option("jobs", 10_000), option("concurrency", 10)];
  const [role, name = "", url = ""] = Deno.args;
  if (role === "measure") {
    print(JSON.stringify(await measure(name, url, count, concurrency)));
    Deno.exit();
  }
  const only = Deno.args.find((arg) => arg.startsWith("--only="))?.slice(7);
  const names = Object.keys(subjects).filter((name) => only === undefined || name === only);
  const found: Record<string, Figures[]> = {};
  for (let round = 0; round < option("rounds", 3); round++) {
    for (const name of names) {
      await using server = await startPostgres();
      const args = ["run", "-A", "--no-check", fromFileUrl(import.meta.url), "measure", name, server.url, ...Deno.args];
      const { stdout } = await new Deno.Command(Deno.execPath(), { args, stderr: "inherit" }).output();
      const figures: Figures = JSON.parse(new TextDecoder().decode(stdout));
      print(`${name.padEnd(24)} ${JSON.stringify(figures)}`);
      (found[name] ??= []).push(figures);
    }
  }
  print("\nMedians: jobs per second, latency of an idle queue in ms, resident memory in MiB");
  for (const [name, figures] of Object.entries(found)) {
    const of = (key: keyof Figures) => median(figures.map((each) => each[key])).toFixed(key === "idle" ? 1 : 0);
    print(`${name.padEnd(24)} ${of("rate").padStart(7)} ${of("idle").padStart(6)} ${of("memory").padStart(5)}`);
  }
}
