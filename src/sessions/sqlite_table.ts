/**
 * The questions that the SQLite store asks of its file, and the patience to ask again.
 *
 * @module
 */
import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import { isBusy } from "./sqlite_file.ts";
import type { Awaitable } from "./store.ts";

/** How long a write waits for other processes before it fails, in milliseconds. */
const patience = 900;

/** Everything that is asked of the file. */
const questions = {
  load: `SELECT s.session, s.expires, t.name, t.text FROM fw_session s LEFT JOIN fw_slot t ON t.session = s.session
    WHERE s.id = ? AND s.expires > ?`,
  id: "SELECT id FROM fw_session WHERE session = ? AND expires > ?",
  taken: "SELECT 1 FROM fw_session WHERE id = ?",
  forget: "DELETE FROM fw_session WHERE id = ? AND expires <= ?",
  create: "INSERT INTO fw_session (id, expires) VALUES (?, ?) RETURNING session",
  rename: "UPDATE fw_session SET id = ? WHERE session = ?",
  renew: "UPDATE fw_session SET expires = ? WHERE session = ?",
  destroy: "DELETE FROM fw_session WHERE session = ?",
  sweep: "DELETE FROM fw_session WHERE session IN (SELECT session FROM fw_session WHERE expires <= ? LIMIT ?)",
  get: "SELECT text FROM fw_slot WHERE session = ? AND name = ?",
  set: `INSERT INTO fw_slot (session, name, text) VALUES (?, ?, ?)
    ON CONFLICT (session, name) DO UPDATE SET text = excluded.text`,
  delete: "DELETE FROM fw_slot WHERE session = ? AND name = ?",
  take: "DELETE FROM fw_slot WHERE session = ? AND name = ? RETURNING text",
} as const;

type Question = keyof typeof questions;

/** The open file with its questions prepared. */
export class Table {
  readonly #database: DatabaseSync;
  readonly #prepared = new Map<Question, StatementSync>();

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  all(question: Question, ...values: SQLInputValue[]): Record<string, unknown>[] {
    return this.#statement(question).all(...values);
  }

  run(question: Question, ...values: SQLInputValue[]): number {
    return Number(this.#statement(question).run(...values).changes);
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

  #statement(question: Question): StatementSync {
    let statement = this.#prepared.get(question);
    if (statement === undefined) {
      statement = this.#database.prepare(questions[question]);
      this.#prepared.set(question, statement);
    }
    return statement;
  }
}
