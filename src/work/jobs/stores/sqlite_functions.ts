/**
 * The functions that implement the methods of the store in a SQLite database.
 *
 * @module
 */

import type { CountedQueue, Row } from "./job_columns.ts";
import { add, claim, claimNothing, finish, type Input, pausesOf, restart, type Rows } from "./sqlite_claims.ts";
import { mostForgotten } from "./sqlite_statements.ts";
import type * as jobs from "../store.ts";

type DatabaseFunction = (table: Rows, input: Input) => unknown;

/**
 * The functions that only read, by name. If one of them returns `undefined`, the function of {@linkcode changes} with
 * the same name follows. A worker that has nothing to do must not lock the file.
 */
export const looks: Readonly<Record<string, DatabaseFunction>> = {
  ...statementsOf("get kinds", (table, name, input) => table.all(name, input)),
  claim: claimNothing,
  list,
  stats,
  pauses: pausesOf,
  unreported: (table, input) => table.first("hasUnreported", JSON.stringify(input)) === undefined ? [] : undefined,
  schedules: (table) => table.all("schedules"),
};

/** The functions that write, by name. They are called in a transaction. */
export const changes: Readonly<Record<string, DatabaseFunction>> = {
  ...statementsOf("cancel retry hurry remove reported", (table, name, input) => table.run(name, input)),
  ...statementsOf("report unschedule", (table, name, input) => table.run(name, input) > 0),
  ...statementsOf("unreported", (table, name, input) => table.all(name, input)),
  ...statementsOf("schedule", (table, name, input) => table.first(name, input)),
  add: (table, { Jobs, Now }) => Jobs.map((job) => add(table, job, Now)),
  claim,
  started: restart,
  renew,
  finish,
  "finish_and_claim": (table, input) => [finish(table, input), claim(table, input)],
  pause: (table, input) => table.run(input.IsPaused ? "pause" : "resume", JSON.stringify(input)) > 0,
  sweep,
  tick,
};

/** The names of functions after which the queues of this process are notified. */
export const notifying: ReadonlySet<string> = new Set(
  "add finish finish_and_claim cancel retry hurry remove pause tick".split(" "),
);

/** Returns functions that consist of the statement with the same name. Its parameter is the input as JSON. */
function statementsOf(names: string, run: (table: Rows, name: string, input: string) => unknown) {
  const of = (name: string): DatabaseFunction => (table, input) => run(table, name, JSON.stringify(input));
  return Object.fromEntries(names.split(" ").map((name) => [name, of(name)]));
}

/** A number above all others that jobs have. */
const maxSeq = Number.MAX_SAFE_INTEGER;

function list(table: Rows, { Queue, Name, State, Limit, Before = maxSeq, IsRetried }: Input): Row[] {
  const of = (rows: unknown[][]) => rows.map(([seq]) => seq as number);
  const kinds = table.all("queueKinds", Queue ?? null, Name ?? null, IsRetried ? "waiting" : State ?? null);
  // The pages of all kinds are merged, because no index contains the jobs of several kinds in their order.
  const seqs = IsRetried
    ? [...new Set(kinds.map(([queue]) => queue as string))]
      .flatMap((queue) => of(table.all("retried", queue, Name ?? null, Before, Limit)))
    : kinds.flatMap((kind) => of(table.all("page", ...kind.slice(0, 3) as string[], Before, Limit)));
  const page = seqs.sort((a, b) => b - a).slice(0, Limit);
  return table.all("records", JSON.stringify(page));
}

function stats(table: Rows, { Now }: Input): CountedQueue[] {
  const kinds = Map.groupBy(table.all("queueKinds", null, null, null), ([queue]) => queue as string);
  return [...kinds].map(([Queue, rows]) => {
    const ready = rows.filter(([, , state]) => state === "ready" || state === "suspect");
    const later = table.first("due", Queue, Now)?.[0] as number;
    const Due = later + ready.reduce((sum, row) => sum + (row[3] as number), 0);
    const OldestDue = table.first("oldest", Queue, Now)?.[0] as number | null;
    return { Queue, States: rows.map((row) => row.slice(2)), Due, Later: Infinity, OldestDue };
  });
}

function renew(table: Rows, { Claims, Until }: Input): jobs.Renewal[] {
  return Claims.map(({ ID, Token, IsShared }) => {
    const row = table.first("renew", Until, IsShared ? 0 : 1, ID, Token);
    return row === undefined ? "lost" : row[0] === 1 ? "canceled" : "renewed";
  });
}

function sweep(table: Rows, { Now }: Input): number {
  const forgotten = Math.max(table.run("forgetStarts", Now), table.run("forgetTicks", Now));
  const swept = table.run("sweep", Now);
  // If there may be more of them, the next sweep follows soon.
  return forgotten < mostForgotten ? swept : Math.max(1, swept);
}

function tick(table: Rows, { Queue, Name, At, Job, Now }: Input): boolean {
  if (table.run("tick", At, Queue, Name, Now) === 0) return false;
  table.run("ticked", Queue, Name, At);
  add(table, Job, Now);
  return true;
}
