/**
 * The tables and statements of the SQLite store.
 *
 * @module
 */
import type { Table } from "../store/sqlite_table.ts";

// Without AUTOINCREMENT, SQLite would reuse the number of a destroyed session. A request that still has the number
// would then write to another visitor's session.
/** The tables. */
export const schema = `
  CREATE TABLE IF NOT EXISTS fw_session (
    session INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    expires INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX IF NOT EXISTS fw_session_expires ON fw_session (expires);
  CREATE TABLE IF NOT EXISTS fw_slot (
    session INTEGER NOT NULL REFERENCES fw_session (session) ON DELETE CASCADE,
    name TEXT NOT NULL,
    text TEXT NOT NULL,
    PRIMARY KEY (session, name)
  ) STRICT, WITHOUT ROWID;`;

/** The SQL statements. */
export const statements = {
  load: `SELECT s.session, s.expires, t.name, t.text FROM fw_session s LEFT JOIN fw_slot t ON t.session = s.session
    WHERE s.id = ? AND s.expires > ?`,
  id: "SELECT id FROM fw_session WHERE session = ? AND expires > ?",
  taken: "SELECT 1 FROM fw_session WHERE id = ?",
  forget: "DELETE FROM fw_session WHERE id = ? AND expires <= ?",
  create: "INSERT INTO fw_session (id, expires) VALUES (?, ?) RETURNING session",
  rename: "UPDATE fw_session SET id = ? WHERE session = ?",
  renew: "UPDATE fw_session SET expires = ? WHERE session = ?",
  destroy: "DELETE FROM fw_session WHERE session = ?",
  last: "SELECT max(session) FROM fw_session",
  destroySome: `DELETE FROM fw_session WHERE session IN (SELECT session FROM fw_session WHERE session <= ? LIMIT ?)
    RETURNING id, expires`,
  sweep: "DELETE FROM fw_session WHERE session IN (SELECT session FROM fw_session WHERE expires <= ? LIMIT ?)",
  get: "SELECT text FROM fw_slot WHERE session = ? AND name = ?",
  set: `INSERT INTO fw_slot (session, name, text) VALUES (?, ?, ?)
    ON CONFLICT (session, name) DO UPDATE SET text = excluded.text`,
  delete: "DELETE FROM fw_slot WHERE session = ? AND name = ?",
  take: "DELETE FROM fw_slot WHERE session = ? AND name = ? RETURNING text",
} as const;

/** The open database with its statements. */
export type SessionTable = Table<keyof typeof statements>;
