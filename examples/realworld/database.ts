import { DatabaseSync, type SQLInputValue } from "node:sqlite";

const schema = `
  CREATE TABLE IF NOT EXISTS users (
    id INTEGER PRIMARY KEY,
    username TEXT NOT NULL UNIQUE COLLATE NOCASE,
    email TEXT NOT NULL UNIQUE COLLATE NOCASE,
    password TEXT NOT NULL,
    bio TEXT,
    image TEXT
  ) STRICT;
  CREATE TABLE IF NOT EXISTS follows (
    follower INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
    followed INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
    PRIMARY KEY (follower, followed)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS articles (
    id INTEGER PRIMARY KEY,
    slug TEXT NOT NULL UNIQUE,
    author INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
    title TEXT NOT NULL,
    description TEXT NOT NULL,
    body TEXT NOT NULL,
    created TEXT NOT NULL,
    updated TEXT NOT NULL
  ) STRICT;
  CREATE TABLE IF NOT EXISTS tags (
    article INTEGER NOT NULL REFERENCES articles ON DELETE CASCADE,
    name TEXT NOT NULL,
    PRIMARY KEY (article, name)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS tags_by_name ON tags (name, article);
  CREATE TABLE IF NOT EXISTS favorites (
    user INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
    article INTEGER NOT NULL REFERENCES articles ON DELETE CASCADE,
    PRIMARY KEY (user, article)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS comments (
    id INTEGER PRIMARY KEY,
    article INTEGER NOT NULL REFERENCES articles ON DELETE CASCADE,
    author INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
    body TEXT NOT NULL,
    created TEXT NOT NULL
  ) STRICT;
`;

/** A row returned by SQLite. */
export type Row = Record<string, string | number | null>;

/** The application's SQLite database, in a file or in memory. fw closes it at shutdown. */
export class Database {
  readonly #file: DatabaseSync;

  constructor(path: string) {
    this.#file = new DatabaseSync(path);
    this.#file.exec("PRAGMA foreign_keys = ON; PRAGMA journal_mode = WAL; PRAGMA busy_timeout = 2000;");
    this.#file.exec(schema);
  }

  /** Returns all rows of a query. */
  all<R = Row>(sql: string, ...values: SQLInputValue[]): R[] {
    return this.#file.prepare(sql).all(...values) as R[];
  }

  /** Returns the first row of a query. */
  first<R = Row>(sql: string, ...values: SQLInputValue[]): R | undefined {
    return this.#file.prepare(sql).get(...values) as R | undefined;
  }

  /** Runs a statement and returns the number of changed rows. */
  run(sql: string, ...values: SQLInputValue[]): number {
    return Number(this.#file.prepare(sql).run(...values).changes);
  }

  /** Runs several statements in a transaction. */
  together<T>(work: () => T): T {
    this.#file.exec("BEGIN IMMEDIATE");
    try {
      const result = work();
      this.#file.exec("COMMIT");
      return result;
    } catch (error) {
      this.#file.exec("ROLLBACK");
      throw error;
    }
  }

  [Symbol.dispose](): void {
    this.#file.close();
  }
}
