/**
 * The statements for a SQLite file and the queue of waiting calls.
 *
 * @module
 */
import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import type { Awaitable } from "./store.ts";
import { FileQueue } from "./file_queue.ts";
import { committed } from "./sqlite_transaction.ts";

/** An open database with named statements. Each statement is prepared on first use. */
export class Table<Name extends string> {
  readonly #database: DatabaseSync;
  readonly #statements: Readonly<Record<Name, string>>;
  readonly #prepared = new Map<Name, StatementSync>();
  readonly #queue: FileQueue;

  /**
   * Creates a table.
   *
   * @param database The open database.
   * @param statements The statements by name.
   * @param patience The time limit for waiting for other processes, in milliseconds.
   */
  constructor(database: DatabaseSync, statements: Readonly<Record<Name, string>>, patience?: number) {
    this.#database = database;
    this.#statements = statements;
    this.#queue = new FileQueue(patience);
  }

  /** Returns all rows of a statement, as arrays of columns. */
  all(name: Name, ...values: SQLInputValue[]): unknown[][] {
    const rows: unknown[] = this.#statement(name).all(...values);
    return rows.length === 0 || Array.isArray(rows[0]) ? rows as unknown[][] : rows.map(columnsOf);
  }

  /** Returns the first row of a statement. */
  first(name: Name, ...values: SQLInputValue[]): unknown[] | undefined {
    const row: unknown = this.#statement(name).get(...values);
    return row === undefined ? undefined : columnsOf(row);
  }

  run(name: Name, ...values: SQLInputValue[]): number {
    return Number(this.#statement(name).run(...values).changes);
  }

  /** Runs a function that writes, in a transaction. */
  transaction<T>(work: (now: number) => T): Awaitable<T> {
    return this.#queue.inTurn(() => this.#once(work));
  }

  /** Runs a function that only reads. It can run while another process is writing. */
  reading<T>(work: () => T): Awaitable<T> {
    return this.#queue.atOnce(work);
  }

  close(): void {
    this.#prepared.clear();
    this.#database.close();
  }

  #once<T>(work: (now: number) => T): T {
    // With a deferred transaction, another process could write between the first read and the first write, which would
    // make the transaction fail.
    this.#database.exec("BEGIN IMMEDIATE");
    return committed(this.#database, () => work(Date.now()));
  }

  #statement(name: Name): StatementSync {
    let statement = this.#prepared.get(name);
    if (statement === undefined) {
      // SQLite plans with the value of a limit and prepares the statement again whenever it is bound, which takes up to
      // a millisecond if the table has triggers. An expression has no value before the statement runs.
      const sql = this.#statements[name].replaceAll(/\b(LIMIT|OFFSET) \?/g, "$1 0 + ?");
      statement = this.#database.prepare(sql);
      // Creating an object per row would take a third of the time needed to load a session
      // (tests/bench/session_read.ts).
      (statement as unknown as Listing).setReturnArrays?.(true);
      this.#prepared.set(name, statement);
    }
    return statement;
  }
}

/** A method that exists in newer Deno versions but is missing in Deno's own types. */
interface Listing {
  setReturnArrays?(isOn: boolean): void;
}

function columnsOf(row: unknown): unknown[] {
  return Array.isArray(row) ? row : Object.values(row as object);
}
