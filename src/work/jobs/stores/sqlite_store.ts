/**
 * Stores jobs in a SQLite database.
 *
 * @module
 */

import { DatabaseSync } from "node:sqlite";
import { inSlices } from "../../../base/async/slices.ts";
import { FrameworkError } from "../../../base/errors/errors.ts";
import type { Awaitable } from "../../../state/store/store.ts";
import { Table } from "../../../state/store/sqlite_table.ts";
import { patience, Transaction } from "../../../state/store/sqlite_transaction.ts";
import { addedAtOnce } from "../adding.ts";
import { DatabaseStore } from "./database_store.ts";
import { checkVersion, type Row } from "./job_columns.ts";
import { add, changeOf, type Input, looks, notifying, type Rows } from "./sqlite_functions.ts";
import { migrationFrom, version } from "./sqlite_schema.ts";
import { statements } from "./sqlite_statements.ts";
import type * as jobs from "../store.ts";

/** The interval between checks for changes by other processes, in milliseconds. A check takes 15 µs. */
const checkEvery = 25;

/**
 * Creates a job store in process memory. It needs no permissions, and `Migrate` need not be called.
 *
 * @returns The store.
 */
// A SQLite database in memory behaves like one in a file, which matters more in tests than speed.
export function NewMemory(): jobs.Store {
  const database = new DatabaseSync(":memory:");
  database.exec(migrationFrom(0));
  return new SQLiteStore(database);
}

/** A job store on an open database. */
export class SQLiteStore extends DatabaseStore {
  readonly #database: DatabaseSync;
  readonly #table: Rows;
  /** The statements for connections of the application. */
  readonly #tables = new WeakMap<DatabaseSync, Rows>();
  /** The functions to call after changes, with the timers that look for changes by other processes. */
  readonly #watchers = new Map<() => void, ReturnType<typeof setInterval>>();
  /** Whether the tables exist. */
  #exists = false;

  constructor(database: DatabaseSync, sql: Readonly<Record<string, string>> = statements) {
    super();
    this.#database = database;
    this.#table = new Table(database, sql, patience);
  }

  override async Migrate(): Promise<void> {
    // Without a log, readers and writers would wait for each other.
    await this.#table.reading(() => this.#table.all("log"));
    await this.#table.transaction(() => this.#database.exec(migrationFrom(this.#installed())));
    await this.#checked("reading", () => {});
  }

  /** Adds many jobs, all or none, on a separate connection. Other work of the process continues in between. */
  async #addMany(file: string, { Jobs, Now }: Input): Promise<readonly Row[]> {
    await this.#checked("reading", () => {});
    const database = new DatabaseSync(file);
    try {
      return await Transaction(database, async () => {
        const all: Row[] = [];
        await inSlices(Jobs, (job) => all.push(add(this.#tableOf(database), job, Now)));
        return all;
      });
    } finally {
      database.close();
      this.#notify();
    }
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

  override Close(): void {
    // Otherwise, the next look at the closed database would end the process.
    for (const timer of this.#watchers.values()) clearInterval(timer);
    this.#table.close();
  }

  override call(name: string, input: Input, transaction?: unknown): Awaitable<unknown> {
    if (transaction !== undefined) {
      const table = this.#tableOf(transaction);
      return this.#checked("reading", () => changeOf(name)(table, input));
    }
    const file = name === "add" && input.Jobs.length > addedAtOnce ? this.#database.location() : null;
    if (file !== null) return this.#addMany(file, input);
    const write = () =>
      this.#checked("transaction", () => {
        const result = changeOf(name)(this.#table, input);
        if (notifying.test(name)) this.#notify();
        return result;
      });
    const look = looks[name];
    return look === undefined ? write() : this.#checked("reading", () => look(this.#table, input) ?? write());
  }

  #notify(): void {
    for (const wake of this.#watchers.keys()) queueMicrotask(wake);
  }

  /** Runs a function, unless the tables have another version. Another process may have changed them. */
  #checked<T>(way: "reading" | "transaction", work: () => T): Awaitable<T> {
    return this.#table[way](() => {
      checkVersion("the tables of the jobs", this.#installed(), version);
      return work();
    });
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
