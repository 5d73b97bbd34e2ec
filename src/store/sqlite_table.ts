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

  /** The rows that a statement returns, each the list of its columns. */
  all(name: Name, ...values: SQLInputValue[]): unknown[][] {
    const rows: unknown[] = this.#statement(name).all(...values);
    return rows.length === 0 || Array.isArray(rows[0]) ? rows as unknown[][] : rows.map(columnsOf);
  }

  /** The first row that a statement returns. */
  first(name: Name, ...values: SQLInputValue[]): unknown[] | undefined {
    const row: unknown = this.#statement(name).get(...values);
    return row === undefined ? undefined : columnsOf(row);
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
    let statement: ListingStatement | undefined = this.#prepared.get(name);
    if (statement === undefined) {
      statement = this.#database.prepare(this.#statements[name]) as ListingStatement;
      // A record per row, with its names, takes a third of the time of a session's load (tests/bench/session_read.ts).
      statement.setReturnArrays?.(true);
      this.#prepared.set(name, statement);
    }
    return statement;
  }
}

/** What newer versions of Deno have and its types do not name. */
interface ListingStatement extends StatementSync {
  setReturnArrays?(isOn: boolean): void;
}

function columnsOf(row: unknown): unknown[] {
  return Array.isArray(row) ? row : Object.values(row as object);
}
