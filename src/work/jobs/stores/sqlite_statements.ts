/**
 * The statements for jobs in a SQLite file.
 *
 * @module
 */

import type { SQLInputValue } from "node:sqlite";
import { databaseJSON, ticksKeptFor } from "./job_columns.ts";
import { type Dialect, statementsFor } from "./statements.ts";

/** The maximum number of jobs that one statement changes. With 500, its commit blocked the process for 25 ms. */
const mostAtOnce = 200;
/** The maximum number of short rows, such as the starts of jobs, that one statement deletes. */
export const mostForgotten = 5_000;

const jobs = "fw_job_records";
const dialect: Dialect = {
  named: (condition) => `id IN (SELECT value FROM json_each(:IDs)) AND ${condition}`,
  some: (condition) => `seq IN (SELECT seq FROM @jobs WHERE ${condition} LIMIT ${mostAtOnce})`,
  each: (condition) => `JOIN @jobs AS j ON j.seq IN (SELECT seq FROM @jobs WHERE ${condition})`,
  // Jobs are added one by one, because lists take longer.
  added: (property) => `:${property}`,
  row: (values) => `VALUES (${values})`,
  items: (argument) => `jsonb_each(:${argument}) AS e`,
  texts: (argument) => `json_each(:${argument}) AS e`,
  place: "seq",
  isFound: "seq IN (SELECT value FROM json_each(:Places))",
  isFull: "group_name IN (SELECT value FROM json_each(:FullGroups))",
  lock: "true",
  isHandled: `name IN (SELECT e.value FROM json_each(:Names) AS e
    WHERE NOT EXISTS (SELECT 1 FROM @pauses AS p WHERE p.queue = :Queue AND p.name IN (e.value, '')))`,
  write: (sql) => sql.replaceAll("@jobs", jobs).replaceAll("@", "fw_job_"),
};

const named: Readonly<Record<string, string>> = {
  ...statementsFor(dialect),
  changes: "PRAGMA data_version",
  log: "PRAGMA journal_mode = WAL",
  tables: "SELECT 1 FROM sqlite_schema WHERE name = 'fw_job_version'",
  version: "SELECT version FROM fw_job_version",
  isReady: `SELECT EXISTS (SELECT 1 FROM ${jobs} WHERE state = 'ready' AND queue = :Queue)
    OR EXISTS (SELECT 1 FROM ${jobs} WHERE state = 'suspect' AND queue = :Queue)`,
  forgetStarts: `DELETE FROM fw_job_starts WHERE rowid IN (
      SELECT rowid FROM fw_job_starts WHERE until <= :Now LIMIT ${mostForgotten})`,
  forgetTicks: `DELETE FROM fw_job_ticks WHERE (queue, name, at) IN (
      SELECT queue, name, at FROM fw_job_ticks WHERE at <= :Now - ${ticksKeptFor} LIMIT ${mostForgotten})`,
};

/** The statements by name, and the paths of their arguments in the order of the parameters. */
export const statements: Record<string, string> = {};
const paths: Record<string, readonly string[][]> = {};
for (const [name, sql] of Object.entries(named)) {
  const argument = /:[\w.]+/g;
  const found = [...new Set(sql.match(argument))];
  paths[name] = found.map((each) => each.slice(1).split("."));
  statements[name] = sql.replaceAll(argument, (each) => `?${found.indexOf(each) + 1}`);
}

/**
 * Returns the name of a statement and the values of its parameters.
 *
 * @param name The name.
 * @param input The arguments by name. Lists become JSON.
 */
export function call(name: string, input: object): [name: string, ...values: SQLInputValue[]] {
  const values: [string, ...SQLInputValue[]] = [name];
  for (const path of paths[name] ?? []) {
    let value: unknown = input;
    for (const property of path) value = (value as Record<string, unknown> | undefined)?.[property];
    const isList = typeof value === "object" && value !== null;
    values.push(isList ? databaseJSON(value) : typeof value === "boolean" ? Number(value) : value as string ?? null);
  }
  return values;
}
