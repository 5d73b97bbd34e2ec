/**
 * A queue in a table of SQLite. A job is deleted after it has run, not before.
 *
 * @module
 */

import { DatabaseSync } from "node:sqlite";

/** A job that a worker has claimed. */
export interface Job {
  readonly id: number;
  readonly payload: string;
}

/** The time that a worker owns a job. Afterwards the worker is assumed to have crashed, and another one may claim the job. */
const LEASE_MS = 60_000;
/** The delay before the next attempt of a failed job. */
const RETRY_MS = 5_000;

/** A queue whose jobs survive the process. */
export class Queue {
  readonly #db: DatabaseSync;

  constructor(path: string) {
    this.#db = new DatabaseSync(path);
    this.#db.exec("CREATE TABLE IF NOT EXISTS jobs (id INTEGER PRIMARY KEY, payload TEXT, due INTEGER NOT NULL)");
  }

  /** Adds a job, and returns its id. */
  add(payload: string): number {
    return Number(this.#db.prepare("INSERT INTO jobs (payload, due) VALUES (?, 0)").run(payload).lastInsertRowid);
  }

  /** Claims the oldest job that is due. It is one statement, so that two workers never claim the same job. */
  claim(now: number = Date.now()): Job | undefined {
    return this.#db.prepare(
      "UPDATE jobs SET due = ? WHERE id = (SELECT id FROM jobs WHERE due <= ? ORDER BY id LIMIT 1) RETURNING id, payload",
    ).get(now + LEASE_MS, now) as Job | undefined;
  }

  /** Deletes a job that has run. */
  done(job: Job): void {
    this.#db.prepare("DELETE FROM jobs WHERE id = ?").run(job.id);
  }

  /** Makes a failed job due again. */
  retry(job: Job): void {
    this.#db.prepare("UPDATE jobs SET due = ? WHERE id = ?").run(Date.now() + RETRY_MS, job.id);
  }

  /** Returns the number of jobs that have not finished. */
  size(): number {
    return Number(this.#db.prepare("SELECT count(*) AS count FROM jobs").get()?.["count"]);
  }

  close(): void {
    this.#db.close();
  }
}
