/**
 * The tables of a backplane in a SQLite file, and the statements for them.
 *
 * @module
 */

/** Creates missing tables. */
export const schema = `
  CREATE TABLE IF NOT EXISTS fw_live_channels (
    name TEXT PRIMARY KEY,
    epoch TEXT NOT NULL,
    last INTEGER NOT NULL,
    until INTEGER NOT NULL,
    expires INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS fw_live_until ON fw_live_channels (until) WHERE until > 0;
  CREATE INDEX IF NOT EXISTS fw_live_expires ON fw_live_channels (expires);
  CREATE TABLE IF NOT EXISTS fw_live_entries (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    channel TEXT NOT NULL,
    number INTEGER NOT NULL,
    kept INTEGER NOT NULL,
    payload TEXT NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX IF NOT EXISTS fw_live_numbers ON fw_live_entries (channel, number);
  CREATE TABLE IF NOT EXISTS fw_live_claims (
    key TEXT PRIMARY KEY,
    value TEXT NOT NULL,
    expires INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS fw_live_nodes (
    node TEXT PRIMARY KEY,
    expires INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS fw_live_rows (
    name TEXT NOT NULL,
    field TEXT NOT NULL,
    node TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (name, field)
  ) STRICT, WITHOUT ROWID;`;

/** The statements by name. */
export const statements = {
  version: "PRAGMA data_version",
  channel: "SELECT epoch, last, until FROM fw_live_channels WHERE name = ? AND expires > ?",
  number: `INSERT INTO fw_live_channels (name, epoch, last, until, expires) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (name) DO UPDATE SET epoch = excluded.epoch, last = excluded.last, until = excluded.until,
      expires = max(expires, excluded.expires)`,
  append: "INSERT INTO fw_live_entries (channel, number, kept, payload) VALUES (?, ?, ?, ?)",
  trim: "DELETE FROM fw_live_entries WHERE channel = ? AND kept = ? AND number <= ?",
  clear: "DELETE FROM fw_live_entries WHERE channel = ?",
  read: `SELECT number, CAST(payload AS BLOB) FROM fw_live_entries
    WHERE channel = ? AND number > ? AND kept = 1 ORDER BY number LIMIT ?`,
  deliver: `SELECT number, CAST(payload AS BLOB) FROM fw_live_entries
    WHERE channel = ? AND number > ? ORDER BY number LIMIT ?`,
  newest: "SELECT seq FROM sqlite_sequence WHERE name = 'fw_live_entries'",
  changed: "SELECT channel, max(seq) FROM fw_live_entries WHERE seq > ? GROUP BY channel",
  expired: `SELECT name FROM fw_live_channels WHERE until > 0 AND until <= ?1
    UNION SELECT name FROM fw_live_channels WHERE expires <= ?1 LIMIT ?2`,
  emptied: "UPDATE fw_live_channels SET until = 0 WHERE name = ?",
  forget: `DELETE FROM fw_live_channels WHERE name = ? AND expires <= ?`,
  claimed: "SELECT CAST(value AS BLOB) FROM fw_live_claims WHERE key = ? AND expires > ?",
  settle: `INSERT INTO fw_live_claims (key, value, expires) VALUES (?, ?, ?)
    ON CONFLICT (key) DO UPDATE SET value = excluded.value, expires = excluded.expires`,
  release: "DELETE FROM fw_live_claims WHERE key = ?",
  unclaim: "DELETE FROM fw_live_claims WHERE key IN (SELECT key FROM fw_live_claims WHERE expires <= ? LIMIT ?)",
  renew: `INSERT INTO fw_live_nodes (node, expires) VALUES (?, ?)
    ON CONFLICT (node) DO UPDATE SET expires = excluded.expires`,
  put: `INSERT INTO fw_live_rows (name, field, node, value) VALUES (?, ?, ?, ?)
    ON CONFLICT (name, field) DO UPDATE SET node = excluded.node, value = excluded.value`,
  drop: "DELETE FROM fw_live_rows WHERE name = ? AND field = ?",
  rows: `SELECT field, CAST(value AS BLOB) FROM fw_live_rows JOIN fw_live_nodes USING (node)
    WHERE name = ? AND expires > ?`,
  leave: `DELETE FROM fw_live_rows WHERE (name, field) IN (SELECT name, field FROM fw_live_rows
    LEFT JOIN fw_live_nodes USING (node) WHERE coalesce(expires, 0) <= ? LIMIT ?)`,
  unlease: "DELETE FROM fw_live_nodes WHERE expires <= ?",
} as const;
