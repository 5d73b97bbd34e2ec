/**
 * The statements that run on a SQLite file, and the patience to run them again.
 *
 * @module
 */
import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import { isBusy } from "./sqlite_file.ts";
import type { Awaitable } from "./awaitable.ts";

/** How long a write waits for other processes before it fails, in milliseconds. */
const patience = 900;

/** An open file with its statements, by name, each prepared on first use. */
export class Table<Name extends string> {
  readonly #database: DatabaseSync;
  readonly #statements: Readonly<Record<Name, string>>;
  readonly #prepared = new Map<Name, StatementSync>();

  constructor(database: DatabaseSync, statements: Readonly<Record<Name, string>>) {
    this.#database = database;
    this.#statements = statements;
  }

  all(name: Name, ...values: SQLInputValue[]): Record<string, unknown>[] {
    return this.#statement(name).all(...values);
  }

  run(name: Name, ...values: SQLInputValue[]): number {
    return Number(this.#statement(name).run(...values).changes);
  }

  transaction<T>(work: (now: number) => T): Awaitable<T> {
    return this.patiently(() => this.#once(work));
  }

  /** Does the work at once; only when another process holds the file for long, later, and without stopping this one. */
  patiently<T>(work: () => T): Awaitable<T> {
    try {
      return work();
    } catch (error) {
      if (!isBusy(error)) throw error;
      return this.#later(work);
    }
  }

  close(): void {
    this.#prepared.clear();
    this.#database.close();
  }

  #once<T>(work: (now: number) => T): T {
    // IMMEDIATE: one that reads first may find, when it wants to write, that another has, and all was in vain.
    this.#database.exec("BEGIN IMMEDIATE");
    try {
      const result = work(Date.now());
      this.#database.exec("COMMIT");
      return result;
    } catch (error) {
      if (this.#database.isTransaction) this.#database.exec("ROLLBACK");
      throw error;
    }
  }

  async #later<T>(work: () => T): Promise<T> {
    const end = Date.now() + patience;
    while (true) {
      await new Promise((resolve) => setTimeout(resolve, 5 + Math.random() * 20));
      try {
        return work();
      } catch (error) {
        if (!isBusy(error) || Date.now() > end) throw error;
      }
    }
  }

  #statement(name: Name): StatementSync {
    let statement = this.#prepared.get(name);
    if (statement === undefined) {
      statement = this.#database.prepare(this.#statements[name]);
      this.#prepared.set(name, statement);
    }
    return statement;
  }
}
