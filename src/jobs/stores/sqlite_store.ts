/**
 * Stores jobs in a SQLite database.
 *
 * @module
 */

import { DatabaseSync } from "node:sqlite";
import { FrameworkError } from "../../errors/errors.ts";
import type { Awaitable } from "../../store/awaitable.ts";
import { isBusy } from "../../store/sqlite_file.ts";
import { Table } from "../../store/sqlite_table.ts";
import { checkVersion } from "./job_columns.ts";
import { type Applied, isLimited, limitsOf } from "./limits.ts";
import { recordOf, schema, statements, version } from "./sqlite_statements.ts";
import type * as jobs from "../store.ts";
import { expiredState, leaseExpired } from "../store.ts";

/** The interval between checks for changes by other processes, in milliseconds. A check takes 15 µs. */
const checkEvery = 25;
/** The maximum number of jobs per sweep. */
const sweptAtOnce = 500;

type Rows = Table<string>;

/** A job store on an open database. */
export class SQLiteStore implements jobs.Store {
  readonly #database: DatabaseSync;
  readonly #table: Rows;
  /** The statements for connections of the application. */
  readonly #tables = new WeakMap<DatabaseSync, Rows>();
  /** The functions to call after changes, with the timers that look for changes by other processes. */
  readonly #watchers = new Map<() => void, ReturnType<typeof setInterval>>();
  #isChecked = false;

  constructor(database: DatabaseSync, table: Rows) {
    this.#database = database;
    this.#table = table;
  }

  Migrate(): Promise<void> {
    return explained(() =>
      this.#table.transaction(() => {
        if (this.#table.first("tables") === undefined) this.#database.exec(schema);
        this.#isChecked = false;
        this.#check();
      })
    );
  }

  Add(added: readonly jobs.NewJob[], now: number, transaction?: unknown): Promise<readonly jobs.Added[]> {
    if (transaction === undefined) return this.#write(() => added.map((job) => add(this.#table, job, now)));
    const table = this.#tableOf(transaction);
    return this.#read(() => added.map((job) => add(table, job, now)));
  }

  Claim(request: jobs.ClaimRequest): Promise<jobs.Claimed> {
    return this.#read(() => {
      const { Queue, Now, Limits, GroupLimits } = request;
      // An idle worker must not lock the file.
      const next = this.#next(Queue, Infinity);
      if (next.at > Now && !next.isReady) return { Jobs: [], Expired: [], Next: finite(next.at) };
      return this.#write(() => {
        const Expired = this.#expire(Queue, Now);
        this.#table.run("promote", Queue, Now);
        const isFree = !isLimited(Limits) && !isLimited(GroupLimits);
        const [Jobs, blockedUntil] = isFree ? [this.#claim(request), Infinity] : this.#claimWithin(request);
        const isFull = Jobs.length === request.Count;
        return { Jobs, Expired, Next: isFull ? Now : finite(this.#next(Queue, blockedUntil).at) };
      }, false);
    });
  }

  Renew(claims: readonly jobs.Claim[], until: number): Promise<readonly jobs.Renewal[]> {
    return this.#write(() =>
      claims.map(({ ID, Token }) => {
        const row = this.#table.first("renew", until, ID, Token);
        return row === undefined ? "lost" : row[0] === 1 ? "canceled" : "renewed";
      }), false);
  }

  Finish(endings: readonly jobs.Ending[], now: number): Promise<readonly boolean[]> {
    return this.#write(() => endings.map((ending) => this.#finish(ending, now)));
  }

  Progress({ ID, Token }: jobs.Claim, progress: string): Promise<boolean> {
    return this.#write(() => this.#table.run("progress", progress, ID, Token) > 0, false);
  }

  Cancel(ids: readonly string[], now: number): Promise<number> {
    const list = JSON.stringify(ids);
    return this.#write(() => this.#table.run("cancelWaiting", now, list) + this.#table.run("cancelRunning", list));
  }

  Retry(ids: readonly string[], now: number): Promise<number> {
    return this.#write(() => ids.filter((id) => this.#table.run("retry", now, now, id) > 0).length);
  }

  Delete(ids: readonly string[]): Promise<number> {
    return this.#write(() => this.#table.run("delete", JSON.stringify(ids)), false);
  }

  Get(id: string): Promise<jobs.JobRecord | null> {
    return this.#read(() => this.#table.all("get", id).map(recordOf)[0] ?? null);
  }

  List(
    { Queue = null, Name = null, State = null, Limit, Offset = 0 }: Nullable<jobs.ListFilter>,
  ): Promise<jobs.JobRecord[]> {
    return this.#read(() => this.#table.all("list", Queue, Name, State, Limit, Offset).map(recordOf));
  }

  Stats(now: number): Promise<readonly jobs.QueueStats[]> {
    return this.#read(() => this.#table.all("stats", now).map((row) => objectOf<jobs.QueueStats>(numbers, row)));
  }

  Sweep(now: number): Promise<number> {
    return this.#write(() => {
      this.#table.run("forgetStarts", now);
      return this.#table.run("sweep", now, sweptAtOnce);
    }, false);
  }

  Schedule(
    { Queue, Name, Cron, TimeZone }: Omit<jobs.ScheduleRecord, "Last">,
    now: number,
  ): Promise<jobs.ScheduleRecord> {
    return this.#write(() => scheduleOf(this.#table.first("schedule", Queue, Name, Cron, TimeZone, now)), false);
  }

  Schedules(): Promise<readonly jobs.ScheduleRecord[]> {
    return this.#read(() => this.#table.all("schedules").map(scheduleOf));
  }

  Unschedule(queue: string, name: string): Promise<boolean> {
    return this.#write(() => this.#table.run("unschedule", queue, name) > 0, false);
  }

  Tick({ Queue, Name, At, Job }: jobs.Tick, now: number): Promise<boolean> {
    return this.#write(() => {
      const isFirst = this.#table.run("tick", At, Queue, Name) > 0;
      if (isFirst) add(this.#table, Job, now);
      return isFirst;
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
        if (isNotified) { for (const wake of this.#watchers.keys()) queueMicrotask(wake); }
        return result;
      })
    );
  }

  #read<T>(work: () => Awaitable<T>): Promise<T> {
    return explained(() =>
      this.#table.reading(() => {
        this.#check();
        return work();
      }) as Awaitable<T>
    );
  }

  /** Throws if the tables have another version. */
  #check(): void {
    if (this.#isChecked) return;
    const exists = this.#table.first("tables") !== undefined;
    checkVersion("the tables of the jobs", exists ? this.#table.first("version")?.[0] as number : 0, version);
    this.#isChecked = true;
  }

  #tableOf(transaction: unknown): Rows {
    const refuse = (reason: string) => new FrameworkError("FW_JOB", `Cannot add a job in a transaction: ${reason}`);
    if (!(transaction instanceof DatabaseSync)) throw refuse("pass the DatabaseSync on which it was begun");
    if (!transaction.isTransaction) throw refuse("none has begun on this connection");
    const file = this.#database.location();
    if (file === null || transaction.location() !== file) throw refuse("the jobs are not in its database");
    return this.#tables.getOrInsertComputed(transaction, () => new Table(transaction, statements));
  }

  #next(queue: string, blockedUntil: number): { at: number; isReady: boolean } {
    const [lease, due, isReady] = this.#table.first("first", queue) as (number | null)[];
    return { at: Math.min(lease ?? Infinity, due ?? Infinity, blockedUntil), isReady: isReady === 1 };
  }

  #claim({ Queue, Names, Count, Now, LeaseUntil }: jobs.ClaimRequest): jobs.JobRecord[] {
    const rows = this.#table.all("claim", LeaseUntil, Now, Queue, JSON.stringify(Names), Count);
    // SQLite does not return the rows in the order of the subquery.
    const order = new Map(rows.map((row) => [row[0], row[21] as number]));
    return rows.map(recordOf).sort((a, b) =>
      b.Priority - a.Priority || a.Due - b.Due || (order.get(a.ID) ?? 0) - (order.get(b.ID) ?? 0)
    );
  }

  /** Claims one job after another, within the limits. Returns the jobs, and the time at which a rate allows more. */
  #claimWithin(request: jobs.ClaimRequest): [jobs.JobRecord[], number] {
    const { Queue, Names, Count, Now, LeaseUntil } = request;
    const claimed: jobs.JobRecord[] = [];
    const full: string[] = [];
    let blockedUntil = Infinity;
    while (claimed.length < Count) {
      const row = this.#table.first("candidate", Queue, JSON.stringify(Names), JSON.stringify(full));
      if (row === undefined) break;
      const [seq, group] = row as [number, string | null];
      const applied = limitsOf(request, group);
      const times = applied.map((each) => ({ ...each, at: this.#freeAt(each, request) }));
      const blocking = times.filter(({ at }) => at > Now);
      if (blocking.length > 0) {
        blockedUntil = Math.min(blockedUntil, Math.max(...blocking.map(({ at }) => at)));
        if (group === null || blocking.some((each) => each.group === null)) break;
        full.push(group);
        continue;
      }
      for (const { key, limits: { Rate } } of applied) {
        if (Rate !== undefined) this.#table.run("start", key, Now, Now + Rate.Period);
      }
      claimed.push(recordOf(this.#table.first("claimOne", LeaseUntil, Now, seq) as unknown[]));
    }
    return [claimed, blockedUntil];
  }

  /** Returns the time at which another job may start, or infinity if a running one has to end first. */
  #freeAt({ key, limits: { MaxRunning, Rate }, group }: Applied, { Queue, Now }: jobs.ClaimRequest): number {
    const running = MaxRunning === undefined ? 0 : this.#table.first("running", Queue, group)?.[0] as number;
    if (MaxRunning !== undefined && running >= MaxRunning) return Infinity;
    if (Rate === undefined) return Now;
    const start = this.#table.first("starts", key, Now - Rate.Period, Rate.Limit - 1)?.[0] as number | undefined;
    return start === undefined ? Now : start + Rate.Period;
  }

  #expire(queue: string, now: number): jobs.JobRecord[] {
    const failed: jobs.JobRecord[] = [];
    for (const job of this.#table.all("expired", queue, now).map(recordOf)) {
      const State = expiredState(job);
      this.#finish({ ...job, State, Error: leaseExpired, Result: null, KeepUntil: null }, now);
      if (State === "failed") {
        failed.push({ ...job, State, Error: leaseExpired, LeaseUntil: null, Finished: now });
      }
    }
    return failed;
  }

  #finish(ending: jobs.Ending, now: number): boolean {
    const { ID, Token, State, IsReleased = false, Due = now, Result = null, Error, KeepUntil = null } = ending;
    const error = [Error === undefined ? 0 : 1, Error ?? null] as const;
    if (State === "waiting") return this.#table.run("wait", Due, now, IsReleased ? 1 : 0, ...error, ID, Token) > 0;
    const isOver = KeepUntil !== null && KeepUntil <= now;
    if (isOver && this.#table.run("remove", ID, Token, now) > 0) return true;
    return this.#table.run("finish", State, Result, ...error, now, KeepUntil, now, ID, Token) > 0;
  }
}

type Nullable<T> = { readonly [K in keyof T]: T[K] | null };

function add(table: Rows, job: jobs.NewJob, now: number): jobs.Added {
  const { ID, Queue, Name, Data, Due, Priority, MaxAttempts, Key, KeyUntil, Group, Trace } = job;
  if (Key !== null) table.run("freeKey", Queue, Key, now);
  const state = Due <= now ? "ready" : "later";
  const rest = [Due, Priority, MaxAttempts, Key, KeyUntil, Group, Trace, now, state, Key] as const;
  if (table.run("add", ID, Queue, Name, Data, ...rest) > 0) return { ID, IsNew: true };
  return { ID: table.first("holder", Queue, Key)?.[0] as string, IsNew: false };
}

const numbers = ["Queue", "Waiting", "Due", "Running", "Failed", "Done", "OldestDue"];

function scheduleOf(row: readonly unknown[] = []): jobs.ScheduleRecord {
  return objectOf(["Queue", "Name", "Cron", "TimeZone", "Last"], row);
}

/** Converts a row to an object with the given properties. */
function objectOf<T>(names: readonly string[], row: readonly unknown[]): T {
  return Object.fromEntries(names.map((name, i) => [name, row[i]])) as T;
}

function finite(time: number): number | null {
  return Number.isFinite(time) ? time : null;
}

/** Runs an operation. If another process has been writing for too long, the error says so. */
export async function explained<T>(run: () => Awaitable<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (!isBusy(error)) throw error;
    const message = "Cannot use the job file: another process has been writing for too long";
    throw new FrameworkError("FW_JOB", message, { cause: error });
  }
}
