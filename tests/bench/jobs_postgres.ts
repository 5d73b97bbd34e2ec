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

import { run, runMigrations } from "npm:graphile-worker@^0.18";
import { Logger } from "npm:@graphile/logger@^0.3";
import pg from "npm:pg@^8";
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

const logger = new Logger(() => () => {});

/** graphile-worker, with its default options or with those for a high throughput. */
function graphile(tuned: Record<string, unknown>): Subject {
  return {
    async prepare(pool, count) {
      await runMigrations({ pgPool: pool, logger });
      await pool.query("SELECT graphile_worker.add_job('work', '{}') FROM generate_series(1, $1)", [count]);
    },
    async start(pool, concurrency, done) {
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
        const { rows } = await pool.query(
          `UPDATE bare SET lease = now() + interval '30 s' WHERE id IN (
             SELECT id FROM bare WHERE lease IS NULL ORDER BY id LIMIT ${concurrency} FOR UPDATE SKIP LOCKED
           ) RETURNING id, data`,
        );
        if (rows.length === 0) {
          wake = Promise.withResolvers();
          await wake.promise;
        }
        for (const _ of rows) done();
        await pool.query("DELETE FROM bare WHERE id = ANY ($1)", [rows.map(({ id }) => id)]);
      }
    };
    const ended = loop();
    return {
      add: () => pool.query("WITH job AS (INSERT INTO bare (data) VALUES ('{}')) SELECT pg_notify('bare', '')"),
      async stop() {
        isRunning = false;
        wake.resolve();
        await ended;
        listener.release(true);
      },
    };
  },
};
