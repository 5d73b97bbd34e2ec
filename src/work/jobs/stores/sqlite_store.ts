/**
 * Stores jobs in a SQLite database.
 *
 * @module
 */

import { DatabaseSync } from "node:sqlite";
import { inSlices } from "../../../base/async/slices.ts";
import { FrameworkError } from "../../../base/errors/errors.ts";
import type { Awaitable } from "../../../state/store/store.ts";
import { FileQueue } from "../../../state/store/file_queue.ts";
import { Table } from "../../../state/store/sqlite_table.ts";
import {
  checkVersion,
  countedStates,
  kindsOf,
  mostCounted,
  recordOf,
  scheduleOf,
  ticksKeptFor,
  untilBatchEnds,
} from "./job_columns.ts";
import { claim, claimNothing, finish, mostAtOnce, pausesOf, restart, type Rows } from "./sqlite_claims.ts";
import { migrationFrom, version } from "./sqlite_schema.ts";
import { statements } from "./sqlite_statements.ts";
import { explained, patience, transact } from "./sqlite_transaction.ts";
import type * as jobs from "../store.ts";

/** The interval between checks for changes by other processes, in milliseconds. A check takes 15 µs. */
const checkEvery = 25;
/** The maximum number of short rows, such as the starts of jobs, that one statement deletes. */
const mostForgotten = 5_000;

/** A job store on an open database. */
export class SQLiteStore implements jobs.Store {
  readonly #database: DatabaseSync;
  readonly #table: Rows;
  /** The statements for connections of the application. */
  readonly #tables = new WeakMap<DatabaseSync, Rows>();
  /** The functions to call after changes, with the timers that look for changes by other processes. */
  readonly #watchers = new Map<() => void, ReturnType<typeof setInterval>>();
  /** Whether the tables exist. */
  #exists = false;
  readonly Cancel: jobs.Store["Cancel"] = this.#change("cancel");
  readonly Retry: jobs.Store["Retry"] = this.#change("retry");
  readonly Hurry: jobs.Store["Hurry"] = this.#change("hurry");
  readonly Delete: jobs.Store["Delete"] = this.#change("delete");

  constructor(database: DatabaseSync, table: Rows) {
    this.#database = database;
    this.#table = table;
  }

  async Migrate(): Promise<void> {
    // Without a log, readers and writers would wait for each other.
    await explained(() => this.#table.reading(() => this.#table.all("log")));
    await explained(() =>
      this.#table.transaction(() => {
        this.#database.exec(migrationFrom(this.#installed()));
        this.#check();
      })
    );
  }

  Add(added: readonly jobs.NewJob[], now: number, transaction?: unknown): Promise<readonly jobs.Added[]> {
    const table = transaction === undefined ? this.#table : this.#tableOf(transaction);
    const all = () => added.map((job) => add(table, job, now));
    if (transaction !== undefined) return this.#read(all);
    const file = this.#database.location();
    return added.length > mostAtOnce && file !== null ? this.#addMany(file, added, now) : this.#write(all);
  }

  /** Adds many jobs, all or none, on a separate connection. Other work of the process continues in between. */
  async #addMany(file: string, added: readonly jobs.NewJob[], now: number): Promise<readonly jobs.Added[]> {
    await this.#read(() => {});
    const database = new DatabaseSync(file);
    const table = new Table(database, statements);
    try {
      return await transact(database, new FileQueue(patience), async () => {
        const all: jobs.Added[] = [];
        await inSlices(added, (job) => all.push(add(table, job, now)));
        return all;
      });
    } finally {
      table.close();
      this.#notify();
    }
  }

  Claim(request: jobs.ClaimRequest): Promise<jobs.Claimed> {
    // An idle worker must not lock the file.
    return this.#read(() =>
      claimNothing(this.#table, request) ?? this.#write(() => claim(this.#table, request), false)
    );
  }

  Started(request: jobs.ClaimRequest, groups: readonly (string | null)[], at: number): Promise<void> {
    return this.#write(() => restart(this.#table, request, groups, at), false);
  }

  Renew(claims: readonly jobs.Claim[], until: number): Promise<readonly jobs.Renewal[]> {
    return this.#write(() =>
      claims.map(({ ID, Token, IsShared }) => {
        const row = this.#table.first("renew", until, IsShared ? 0 : 1, ID, Token);
        return row === undefined ? "lost" : row[0] === 1 ? "canceled" : "renewed";
      }), false);
  }

  Finish(endings: readonly jobs.Ending[], now: number): Promise<readonly boolean[]> {
    return this.#write(() => endings.map((ending) => finish(this.#table, ending, now)));
  }

  Progress({ ID, Token }: jobs.Claim, progress: string): Promise<boolean> {
    return this.#write(() => this.#table.run("progress", progress, ID, Token) > 0, false);
  }

  Get(id: string): Promise<jobs.JobRecord | null> {
    return this.#read(() => this.#table.all("get", id).map(recordOf)[0] ?? null);
  }

  List({ Queue, Name, State, Limit, Before = maxSeq, IsRetried }: jobs.ListFilter): Promise<jobs.JobRecord[]> {
    const of = (rows: unknown[][]) => rows.map(([seq]) => seq as number);
    return this.#read(() => {
      const kinds = this.#table.all("kinds", Queue ?? null, Name ?? null, IsRetried ? "waiting" : State ?? null);
      // The pages of all kinds are merged, because no index contains the jobs of several kinds in their order.
      const seqs = IsRetried
        ? [...new Set(kinds.map(([queue]) => queue as string))]
          .flatMap((queue) => of(this.#table.all("retried", queue, Name ?? null, Before, Limit)))
        : kinds.flatMap((kind) => of(this.#table.all("page", ...kind.slice(0, 3) as string[], Before, Limit)));
      const page = seqs.sort((a, b) => b - a).slice(0, Limit);
      return this.#table.all("records", JSON.stringify(page)).map(recordOf);
    });
  }

  Stats(now: number): Promise<readonly jobs.QueueStats[]> {
    return this.#read(() => {
      const kinds = Map.groupBy(this.#table.all("kinds", null, null, null), ([queue]) => queue as string);
      return [...kinds].map(([Queue, rows]) => {
        const ready = rows.filter(([, , state]) => state === "ready" || state === "suspect");
        const later = this.#table.first("due", Queue, now, mostCounted)?.[0] as number;
        const Due = later + ready.reduce((sum, row) => sum + (row[3] as number), 0);
        const OldestDue = this.#table.first("oldest", Queue, now)?.[0] as number | null;
        return { Queue, ...countedStates(rows.map((row) => row.slice(2))), Due, OldestDue };
      });
    });
  }

  Kinds(queue: string): Promise<readonly jobs.KindStats[]> {
    return this.#read(() => kindsOf(this.#table.all("kinds", queue, null, null).map((row) => row.slice(1))));
  }

  Pause(queue: string, name: string, isPaused: boolean): Promise<boolean> {
    return this.#write(() => this.#table.run(isPaused ? "pause" : "resume", queue, name) > 0);
  }

  Pauses(queue: string): Promise<readonly string[]> {
    return this.#read(() => pausesOf(this.#table, queue));
  }

  Unreported(queue: string, now: number, until: number): Promise<readonly jobs.JobRecord[]> {
    return this.#read(() => {
      // Nothing is written unless there is something to report.
      if (this.#table.first("hasUnreported", queue, now) === undefined) return [];
      return this.#write(() => this.#table.all("unreported", until, queue, now, mostAtOnce).map(recordOf), false);
    });
  }

  async Reported(ids: readonly string[]): Promise<void> {
    await this.#write(() => this.#table.run("reported", JSON.stringify(ids)), false);
  }

  Sweep(now: number): Promise<number> {
    return this.#write(() => {
      const starts = this.#table.run("forgetStarts", now, mostForgotten);
      const ticks = this.#table.run("forgetTicks", now - ticksKeptFor, mostForgotten);
      const swept = this.#table.run("sweep", now, mostAtOnce);
      // If there may be more of them, the next sweep follows soon.
      return Math.max(starts, ticks) < mostForgotten ? swept : Math.max(1, swept);
    }, false);
  }

  Schedule(schedule: Omit<jobs.ScheduleRecord, "Last">, now: number): Promise<jobs.ScheduleRecord> {
    const { Queue, Name, Cron, TimeZone, Job, Data } = schedule;
    const values = [Queue, Name, Cron, TimeZone, Job, Data, now] as const;
    return this.#write(() => scheduleOf(this.#table.first("schedule", ...values) ?? []), false);
  }

  Schedules(): Promise<readonly jobs.ScheduleRecord[]> {
    return this.#read(() => this.#table.all("schedules").map(scheduleOf));
  }

  Unschedule(queue: string, name: string): Promise<boolean> {
    return this.#write(() => this.#table.run("unschedule", queue, name) > 0, false);
  }

  Tick({ Queue, Name, At, Job }: jobs.Tick, now: number): Promise<boolean> {
    return this.#write(() => {
      if (this.#table.run("tick", At, Queue, Name, now) === 0) return false;
      this.#table.run("ticked", Queue, Name, At);
      add(this.#table, Job, now);
      return true;
    });
  }

  Watch(wake: () => void): () => void {
    let seen = this.#table.first("changes")?.[0];
    const timer = setInterval(() => {
      const changes = this.#table.first("changes")?.[0];
      if (changes !== seen) wake();
      seen = changes;
    }, checkEvery);
    this.#watchers.set(wake, timer);
    return () => {
      clearInterval(timer);
      this.#watchers.delete(wake);
    };
  }

  Close(): void {
    // Otherwise, the next look at the closed database would end the process.
    for (const timer of this.#watchers.values()) clearInterval(timer);
    this.#table.close();
  }

  /** Runs a function in a transaction, and then notifies the queues of this process. */
  #write<T>(work: () => T, isNotified = true): Promise<T> {
    return explained(() =>
      this.#table.transaction(() => {
        this.#check();
        const result = work();
        if (isNotified) this.#notify();
        return result;
      })
    );
  }

  /** Returns a method that changes jobs by their IDs. */
  #change(name: string): (ids: readonly string[], ...times: number[]) => Promise<number> {
    return (ids, ...times) => this.#write(() => this.#table.run(name, ...times, JSON.stringify(ids)));
  }

  #notify(): void {
    for (const wake of this.#watchers.keys()) queueMicrotask(wake);
  }

  #read<T>(work: () => Awaitable<T>): Promise<T> {
    return explained(() =>
      this.#table.reading(() => {
        this.#check();
        return work();
      }) as Awaitable<T>
    );
  }

  /** Throws if the tables have another version, also if another process has changed them in the meantime. */
  #check(): void {
    checkVersion("the tables of the jobs", this.#installed(), version);
  }

  /** Returns the version of the tables, or 0 if they do not exist. */
  #installed(): number {
    this.#exists ||= this.#table.first("tables") !== undefined;
    return this.#exists ? this.#table.first("version")?.[0] as number : 0;
  }

  #tableOf(transaction: unknown): Rows {
    const refuse = (reason: string) => new FrameworkError("FW_JOB", `Cannot add a job in a transaction: ${reason}`);
    if (!(transaction instanceof DatabaseSync)) throw refuse("pass the DatabaseSync on which it was begun");
    if (!transaction.isTransaction) throw refuse("none has begun on this connection");
    const file = this.#database.location();
    if (file === null || transaction.location() !== file) throw refuse("the jobs are not in its database");
    return this.#tables.getOrInsertComputed(transaction, () => new Table(transaction, statements));
  }
}

/** A number above all others that jobs have. */
const maxSeq = Number.MAX_SAFE_INTEGER;

function add(table: Rows, job: jobs.NewJob, now: number): jobs.Added {
  const { ID, Queue, Name, Data, Priority, MaxAttempts, Key, KeyUntil, Group, Trace, Batch = null, Pending = 0 } = job;
  if (Key !== null) table.run("freeKey", Queue, Key, now);
  const Due = Pending > 0 ? untilBatchEnds : job.Due;
  const state = Due <= now ? "ready" : "later";
  const batch = [Batch, Batch === null ? 0 : 1, Pending] as const;
  const rest = [Due, Priority, MaxAttempts, Key, KeyUntil, Group, Trace, ...batch, now, state, Key] as const;
  if (table.run("add", ID, Queue, Name, Data, ...rest) > 0) return { ID, IsNew: true };
  if (Batch !== null) table.run("endInBatch", now, Batch);
  return { ID: table.first("holder", Queue, Key)?.[0] as string, IsNew: false };
}
