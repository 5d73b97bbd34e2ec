/**
 * A queue in a SQLite table. A job is deleted after it has run.
 *
 * @module
 */

import { DatabaseSync } from "node:sqlite";

/** A job that a worker has claimed. */
export interface Job {
  readonly id: number;
  readonly payload: string;
  /** The time at which the claim ends. Two workers never have the same claim. */
  due: number;
}

/** The delay before the next attempt of a failed job. */
const RETRY_MS = 5_000;

/** A queue whose jobs survive restarts. */
export class Queue {
  /** The time that a worker owns a job, unless it renews its claim. Afterwards, another worker may claim the job. */
  readonly lease: number;
  readonly #db: DatabaseSync;

  constructor(path: string, lease = 60_000) {
    this.lease = lease;
    this.#db = new DatabaseSync(path);
    // Another process may be writing. Without a timeout, the statement would fail immediately.
    this.#db.exec("PRAGMA busy_timeout = 5000");
    this.#db.exec("CREATE TABLE IF NOT EXISTS jobs (id INTEGER PRIMARY KEY, payload TEXT, due INTEGER NOT NULL)");
  }

  /** Adds a job and returns its ID. */
  add(payload: string): number {
    return Number(this.#db.prepare("INSERT INTO jobs (payload, due) VALUES (?, 0)").run(payload).lastInsertRowid);
  }

  /** Claims the oldest job that is due. A single statement is used, so that two workers never claim the same job. */
  claim(now: number = Date.now()): Job | undefined {
    return this.#db.prepare(
      "UPDATE jobs SET due = ? WHERE id = (SELECT id FROM jobs WHERE due <= ? ORDER BY id LIMIT 1) RETURNING id, payload, due",
    ).get(now + this.lease, now) as Job | undefined;
  }

  /** Renews a claim, and returns `false` if another worker has claimed the job in the meantime. */
  renew(job: Job): boolean {
    const due = Date.now() + this.lease;
    const isOurs = this.#setDue(job, due);
    if (isOurs) job.due = due;
    return isOurs;
  }

  /** Deletes a job that has run, and returns `false` if another worker has claimed the job in the meantime. */
  done(job: Job): boolean {
    return this.#db.prepare("DELETE FROM jobs WHERE id = ? AND due = ?").run(job.id, job.due).changes === 1;
  }

  /** Makes a failed job due again, unless another worker has claimed it in the meantime. */
  retry(job: Job): void {
    this.#setDue(job, Date.now() + RETRY_MS);
  }

  /** Returns the number of jobs that have not finished. */
  size(): number {
    return Number(this.#db.prepare("SELECT count(*) AS count FROM jobs").get()?.["count"]);
  }

  close(): void {
    this.#db.close();
  }

  #setDue(job: Job, due: number): boolean {
    return this.#db.prepare("UPDATE jobs SET due = ? WHERE id = ? AND due = ?").run(due, job.id, job.due).changes === 1;
  }
}
