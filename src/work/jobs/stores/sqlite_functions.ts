/**
 * The functions that implement the methods of the store in a SQLite database.
 *
 * @module
 */

import type { Table } from "../../../state/store/sqlite_table.ts";
import type { ClaimOutput, Row } from "./job_columns.ts";
import { call, mostForgotten } from "./sqlite_statements.ts";
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
  ...Object.fromEntries("get list kinds stats pauses schedules".split(" ").map((name) => [name, rowsOf(name)])),
  claim: claimNothing,
};

/** Returns a function that consists of the statement with the same name, and returns its rows. */
function rowsOf(name: string): DatabaseFunction {
  return (table, input) => table.all(...call(name, input));
}

/** Returns the function that writes, for calls in a transaction. */
export function changeOf(name: string): DatabaseFunction {
  // The other functions consist of the statement with the same name.
  return changes[name] ?? ((table, input) => table.run(...call(name, input)));
}

const changes: Readonly<Record<string, DatabaseFunction | undefined>> = {
  ...Object.fromEntries("renew unreported schedule".split(" ").map((name) => [name, rowsOf(name)])),
  add: (table, { Jobs, Now }) => Jobs.map((job) => add(table, job, Now)),
  claim,
  finish,
  "finish_and_claim": (table, input) => [finish(table, input), claim(table, input)],
  retry(table, input) {
    const count = table.run(...call("retry", input));
    holdKeys(table, input.IDs, input.Now);
    return count;
  },
  pause: (table, input) => table.run(...call(input.IsPaused ? "pause" : "resume", input)),
  sweep,
  tick,
};

/** Matches the names of functions after which the queues of this process are notified. */
export const notifying: RegExp = /^(?:add|finish|cancel|retry|hurry|remove|pause|tick)/;

/** Adds a job. Returns its ID, and that of the job which has it or holds its key. */
export function add(table: Rows, job: jobs.NewJob, Now: number): Row {
  const input = { ...job, Now };
  if (job.Key !== null) table.run(...call("freeKeys", input));
  if (table.run(...call("add", input)) > 0) return [job.ID, job.ID];
  table.run(...call("leaveBatch", input));
  return table.first(...call("holders", input)) as Row;
}

/** Lets waiting jobs hold their keys again, unless other jobs hold them. */
function holdKeys(table: Rows, IDs: readonly string[], Now: number): void {
  table.run(...call("freeKeysOf", { IDs, Now }));
  table.run(...call("holdKeys", { IDs }));
}

/** Returns the outcome of a claim that finds nothing, or `undefined` if there may be something to claim. */
function claimNothing(table: Rows, request: jobs.ClaimRequest): ClaimOutput | undefined {
  const next = table.first(...call("isReady", request))?.[0] === 1 ? request.Now : nextOf(table, request);
  return (next ?? Infinity) > request.Now ? [[], [], next, 0] : undefined;
}

/** Claims jobs. */
function claim(table: Rows, request: jobs.ClaimRequest): ClaimOutput {
  const { Count, Now, Limits, GroupLimits, Crashed = "include" } = request;
  // Updates that find nothing cost more than a look.
  const isDue = (nextOf(table, request) ?? Infinity) <= Now;
  const expired = isDue ? table.all(...call("expire", request)) : [];
  if (expired.length > 0) holdKeys(table, expired.map(([id]) => id as string), Now);
  if (isDue) table.run(...call("promote", request));
  const hasLimits = isLimited(Limits) || isLimited(GroupLimits);
  const free = hasLimits ? Math.min(Count, roomOf(table, request).free) : Count;
  const found: Row[] = [];
  const full: string[] = [];
  if (Crashed !== "only") find(table, { ...request, Count: free }, "ready", found, full);
  if (Crashed !== "exclude") find(table, { ...request, Count: free }, "suspect", found, full);
  const input = { ...request, Places: found.map(([place]) => place) };
  if (hasLimits) table.run(...call("start", input));
  const claimed = found.length === 0 ? [] : table.all(...call("claim", input));
  const blocked = hasLimits ? [null, ...full].map((group) => roomOf(table, request, group).freeAt) : [];
  const next = claimed.length === Count ? Now : nextOf(table, request, ...blocked);
  const crashes = table.first(...call("find suspect", { ...request, Count: 1 }))?.[2] as number | undefined ?? 0;
  return [claimed, expired, next, crashes];
}

/** Finds jobs in a state, one after another if groups have limits. Collects the groups that are full. */
function find(table: Rows, request: jobs.ClaimRequest, state: string, found: Row[], full: string[]): void {
  const isGrouped = isLimited(request.GroupLimits);
  while (found.length < request.Count) {
    const Count = isGrouped ? 1 : request.Count - found.length;
    const input = { ...request, Count, Places: found.map(([place]) => place), FullGroups: full };
    const rows = table.all(...call(`find ${state}`, input));
    const group = rows[0]?.[1] as string | null | undefined ?? null;
    const taken = found.filter((row) => row[1] === group).length;
    if (isGrouped && group !== null && roomOf(table, request, group).free <= taken) full.push(group);
    else found.push(...rows);
    if (rows.length === 0 || !isGrouped) return;
  }
}

/** Returns the number of jobs that may start in the queue or in a group, and the time at which a rate allows more. */
function roomOf(table: Rows, request: jobs.ClaimRequest, Group: string | null = null) {
  const row = table.first(...call(Group === null ? "room" : "room of group", { ...request, Group }));
  const [slots, starts, freeAt] = row as (number | null)[];
  return { free: Math.min(slots ?? Infinity, starts ?? Infinity), freeAt: freeAt ?? Infinity };
}

function isLimited({ MaxRunning, Rate }: jobs.Limits): boolean {
  return (MaxRunning ?? Rate) !== undefined;
}

/** Returns the time at which another job may be claimed if none can be now, or `null` if there is none. */
function nextOf(table: Rows, request: jobs.ClaimRequest, ...times: number[]): number | null {
  const [lease, due] = table.first(...call("outlook", request)) as (number | null)[];
  const next = Math.min(lease ?? Infinity, due ?? Infinity, ...times);
  return next === Infinity ? null : next;
}

/** Ends attempts. Returns the claims that were valid. */
function finish(table: Rows, input: Input): unknown[] {
  const ended = table.all(...call("end", input));
  if (ended.length < input.Endings.length) ended.push(...table.all(...call("finish", input)));
  const waiting = input.Endings.filter(({ State }) => State === "waiting").map(({ ID }) => ID);
  if (waiting.length > 0) holdKeys(table, waiting, input.Now);
  return ended.flat();
}

function sweep(table: Rows, input: Input): number {
  const [starts = 0, ticks = 0, swept = 0] = ["forgetStarts", "forgetTicks", "sweep"]
    .map((name) => table.run(...call(name, input)));
  // If there may be more of them, the next sweep follows soon.
  return Math.max(starts, ticks) < mostForgotten ? swept : Math.max(1, swept);
}

function tick(table: Rows, input: Input): boolean {
  if (table.run(...call("tick", input)) === 0) return false;
  table.run(...call("ticked", input));
  add(table, input.Job, input.Now);
  return true;
}
