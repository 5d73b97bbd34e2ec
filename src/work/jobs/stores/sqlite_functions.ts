/**
 * The functions that implement the methods of the store in a SQLite database.
 *
 * @module
 */

import type { Table } from "../../../state/store/sqlite_table.ts";
import { type ClaimOutput, databaseJSON, type Row } from "./job_columns.ts";
import { mostForgotten } from "./sqlite_statements.ts";
import type * as jobs from "../store.ts";

/** An open database with the statements for jobs. Functions that change it are called in a transaction. */
export type Rows = Table<string>;

/** The arguments of the functions by name. Each function receives some of them. */
export interface Input extends jobs.ClaimRequest, jobs.Tick {
  readonly IDs: readonly string[];
  readonly Jobs: readonly jobs.NewJob[];
  readonly Endings: readonly jobs.Ending[];
  readonly IsPaused: boolean;
}

type DatabaseFunction = (table: Rows, input: Input) => unknown;

/**
 * The functions that only read, by name. If one of them returns `undefined`, the function of {@linkcode changeOf}
 * follows. A worker that has nothing to do must not lock the file.
 */
export const looks: Readonly<Record<string, DatabaseFunction>> = {
  ...Object.fromEntries("get list kinds stats pauses".split(" ").map((name) => [name, rowsOf(name)])),
  schedules: (table) => table.all("schedules"),
  claim: claimNothing,
  unreported: (table, input) => table.first("hasUnreported", databaseJSON(input)) === undefined ? [] : undefined,
};

/** Returns a function that consists of the statement with the same name, and returns its rows. */
function rowsOf(name: string): DatabaseFunction {
  return (table, input) => table.all(name, databaseJSON(input));
}

/** Returns the function that writes, for calls in a transaction. */
export function changeOf(name: string): DatabaseFunction {
  // The other functions consist of the statement with the same name.
  return changes[name] ?? ((table, input) => table.run(name, databaseJSON(input)));
}

const changes: Readonly<Record<string, DatabaseFunction | undefined>> = {
  ...Object.fromEntries("renew unreported schedule".split(" ").map((name) => [name, rowsOf(name)])),
  add,
  claim,
  finish,
  "finish_and_claim": (table, input) => [finish(table, input), claim(table, input)],
  retry(table, { IDs, Now }) {
    const count = table.run("retry", databaseJSON({ IDs, Now }));
    holdKeys(table, IDs, Now);
    return count;
  },
  pause: (table, input) => table.run(input.IsPaused ? "pause" : "resume", databaseJSON(input)),
  sweep,
  tick,
};

/** The names of functions after which the queues of this process are notified. */
export const notifying: ReadonlySet<string> = new Set(
  "add finish finish_and_claim cancel retry hurry remove pause tick".split(" "),
);

/** Adds jobs. Returns the ID of each one, and that of the job which has it or holds its key. */
export function add(table: Rows, { Jobs, Now }: Pick<Input, "Jobs" | "Now">): Row[] {
  const json = databaseJSON({ Jobs, Now });
  if (Jobs.some(({ Key }) => Key !== null)) table.run("freeKeys", json);
  if (table.run("add", json) === Jobs.length) return Jobs.map(({ ID }) => [ID, ID]);
  table.run("leaveBatch", json);
  return table.all("holders", json);
}

/** Lets waiting jobs hold their keys again, unless other jobs hold them. */
function holdKeys(table: Rows, IDs: readonly string[], Now: number): void {
  table.run("freeKeysOf", databaseJSON({ IDs, Now }));
  table.run("holdKeys", databaseJSON({ IDs }));
}

/** Returns the outcome of a claim that finds nothing, or `undefined` if there may be something to claim. */
function claimNothing(table: Rows, { Queue, Now }: jobs.ClaimRequest): ClaimOutput | undefined {
  const next = table.first("isReady", Queue)?.[0] === 1 ? Now : nextOf(table, Queue);
  return (next ?? Infinity) > Now ? [[], [], next, 0] : undefined;
}

/** Claims jobs. */
function claim(table: Rows, request: jobs.ClaimRequest): ClaimOutput {
  const { Queue, Count, Now, Crashed = "include" } = request;
  const isFree = [request.Limits, request.GroupLimits].every(({ MaxRunning, Rate }) => !MaxRunning && !Rate);
  // Updates that find nothing cost more than a look.
  const isDue = (nextOf(table, Queue) ?? Infinity) <= Now;
  const expired = isDue ? table.all("expire", databaseJSON(request)) : [];
  if (expired.length > 0) holdKeys(table, expired.map(([id]) => id as string), Now);
  if (isDue) table.run("promote", databaseJSON({ Queue, Now }));
  const claimed: Row[] = [];
  let blockedUntil = Infinity;
  for (const state of Crashed === "include" ? ["ready", "suspect"] : [Crashed === "only" ? "suspect" : "ready"]) {
    const rest = databaseJSON({ ...request, Count: Count - claimed.length });
    if (isFree) claimed.push(...table.all(`claim ${state}`, rest));
    else blockedUntil = Math.min(blockedUntil, claimWithin(table, request, state, claimed));
  }
  const next = claimed.length === Count ? Now : nextOf(table, Queue, blockedUntil);
  const crashes = table.first("next suspect", databaseJSON(request))?.[2] as number | undefined ?? 0;
  return [claimed, expired, next, crashes];
}

/** Returns the time at which another job may be claimed if none can be now, or `null` if there is none. */
function nextOf(table: Rows, Queue: string, blockedUntil = Infinity): number | null {
  const [lease, due] = table.first("outlook", databaseJSON({ Queue })) as (number | null)[];
  const next = Math.min(lease ?? Infinity, due ?? Infinity, blockedUntil);
  return next === Infinity ? null : next;
}

/** Claims one job after another, within the limits. Returns the time at which a limit allows more. */
function claimWithin(table: Rows, request: jobs.ClaimRequest, state: string, claimed: Row[]): number {
  const FullGroups: string[] = [];
  let blockedUntil = Infinity;
  const isFull = (scope: object) => {
    const at = table.first("freeAt", databaseJSON(scope))?.[0] as number;
    if (at > request.Now) blockedUntil = Math.min(blockedUntil, at);
    return at > request.Now;
  };
  const queue = { ...request, ...request.Limits };
  while (claimed.length < request.Count && !isFull(queue)) {
    const row = table.first(`next ${state}`, databaseJSON({ ...request, FullGroups }));
    if (row === undefined) break;
    const [ID, Group] = row as [string, string | null];
    const group = { ...request, ...request.GroupLimits, Group };
    if (Group !== null && isFull(group)) FullGroups.push(Group);
    else {
      for (const scope of Group === null ? [queue] : [queue, group]) table.run("start", databaseJSON(scope));
      claimed.push(...table.all("claimOne", databaseJSON({ ...request, ID })));
    }
  }
  return blockedUntil;
}

/** Ends attempts. Returns the IDs of those whose claim was valid. */
function finish(table: Rows, { Endings, Now }: Input): unknown[] {
  const json = databaseJSON({ Endings, Now });
  const ended = table.first("ends", json) === undefined ? [] : table.all("end", json);
  if (ended.length < Endings.length) ended.push(...table.all("finish", json));
  if (Endings.some(({ State }) => State === "waiting")) holdKeys(table, Endings.map(({ ID }) => ID), Now);
  return ended.flat();
}

function sweep(table: Rows, { Now }: Input): number {
  const forgotten = Math.max(table.run("forgetStarts", Now), table.run("forgetTicks", Now));
  const swept = table.run("sweep", databaseJSON({ Now }));
  // If there may be more of them, the next sweep follows soon.
  return forgotten < mostForgotten ? swept : Math.max(1, swept);
}

function tick(table: Rows, { Queue, Name, At, Job, Now }: Input): boolean {
  const input = databaseJSON({ Queue, Name, At, Now });
  if (table.run("tick", input) === 0) return false;
  table.run("ticked", input);
  add(table, { Jobs: [Job], Now });
  return true;
}
