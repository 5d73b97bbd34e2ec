/**
 * The statements that run on a SQLite file, and the queue of what waits for it.
 *
 * @module
 */
import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import type { Awaitable } from "./awaitable.ts";
import { FileQueue } from "./file_queue.ts";

/** An open file with its statements, by name, each prepared on first use. */
export class Table<Name extends string> {
  readonly #database: DatabaseSync;
  readonly #statements: Readonly<Record<Name, string>>;
  readonly #prepared = new Map<Name, StatementSync>();
  readonly #queue = new FileQueue();

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

  /** Does work that writes: all of it or none. */
  transaction<T>(work: (now: number) => T): Awaitable<T> {
    return this.#queue.inTurn(() => this.#once(work));
  }

  /** Does work that only reads, which another process that writes does not hinder. */
  reading<T>(work: () => T): Awaitable<T> {
    return this.#queue.atOnce(work);
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

  #statement(name: Name): StatementSync {
    let statement = this.#prepared.get(name);
    if (statement === undefined) {
      statement = this.#database.prepare(this.#statements[name]);
      this.#prepared.set(name, statement);
    }
    return statement;
  }
}
