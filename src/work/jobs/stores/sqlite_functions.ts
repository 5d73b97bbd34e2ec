/**
 * The functions that implement the methods of the store in a SQLite database.
 *
 * @module
 */

import type { Table } from "../../../state/store/sqlite_table.ts";
import { type ClaimOutput, type CountedQueue, type Row, untilBatchEnds } from "./job_columns.ts";
import { mostForgotten } from "./sqlite_statements.ts";
import type * as jobs from "../store.ts";

/** An open database with the statements for jobs. Functions that change it are called in a transaction. */
export type Rows = Table<string>;

/** The arguments of all functions by name. Each function receives some of them. */
export interface Input
  extends jobs.ClaimRequest, Pick<jobs.Tick, "At" | "Job" | "Name">, Omit<jobs.ListFilter, "Queue" | "Name"> {
  readonly Jobs: readonly jobs.NewJob[];
  readonly Groups: readonly (string | null)[];
  readonly Claims: readonly jobs.Claim[];
  readonly Endings: readonly jobs.Ending[];
  readonly Until: number;
  readonly IsPaused: boolean;
}

type DatabaseFunction = (table: Rows, input: Input) => unknown;

/** Returns the input as the parameter of a statement that all databases have in common. */
const json: (input: Partial<Input>) => string = JSON.stringify;

/**
 * The functions that only read, by name. If one of them returns `undefined`, the function of {@linkcode changeOf}
 * follows. A worker that has nothing to do must not lock the file.
 */
export const looks: Readonly<Record<string, DatabaseFunction>> = {
  get: (table, input) => table.all("get", json(input)),
  kinds: (table, { Queue }) => table.all("kinds", Queue, null, null).map((row) => row.slice(1)),
  claim: claimNothing,
  list,
  stats,
  pauses: pausesOf,
  unreported: (table, input) => table.first("hasUnreported", json(input)) === undefined ? [] : undefined,
  schedules: (table) => table.all("schedules"),
};

/** Returns the function that writes, for calls in a transaction. */
export function changeOf(name: string): DatabaseFunction {
  // The other functions consist of the statement with the same name.
  return changes[name] ?? ((table, input) => table.run(name, json(input)));
}

const changes: Readonly<Record<string, DatabaseFunction | undefined>> = {
  add: (table, { Jobs, Now }) => Jobs.map((job) => add(table, job, Now)),
  claim,
  started: restart,
  renew,
  finish,
  "finish_and_claim": (table, input) => [finish(table, input), claim(table, input)],
  pause: (table, input) => table.run(input.IsPaused ? "pause" : "resume", json(input)),
  unreported: (table, input) => table.all("unreported", json(input)),
  schedule: (table, input) => table.first("schedule", json(input)),
  sweep,
  tick,
};

/** The names of functions after which the queues of this process are notified. */
export const notifying: ReadonlySet<string> = new Set(
  "add finish finish_and_claim cancel retry hurry remove pause tick".split(" "),
);

/** Adds a job. */
export function add(table: Rows, job: jobs.NewJob, now: number): jobs.Added {
  const { ID, Queue, Name, Data, Priority, MaxAttempts, Key, KeyUntil, Group, Trace, Batch = null, Pending = 0 } = job;
  if (Key !== null) table.run("freeKey", Queue, Key, now);
  const Due = Pending > 0 ? untilBatchEnds : job.Due;
  const state = Due <= now ? "ready" : "later";
  const batch = [Batch, Batch === null ? 0 : 1, Pending] as const;
  const rest = [Due, Priority, MaxAttempts, Key, KeyUntil, Group, Trace, ...batch, now, state, Key] as const;
  if (table.run("add", ID, Queue, Name, Data, ...rest) > 0) return { ID, IsNew: true };
  if (Batch !== null) table.run("endInBatch", now, Batch);
  return { ID: table.first("holder", Queue, Key)?.[0] as string, IsNew: false };
}

/** Returns the outcome of a claim that finds nothing, or `undefined` if there may be something to claim. */
function claimNothing(table: Rows, { Queue, Now }: jobs.ClaimRequest): ClaimOutput | undefined {
  const next = table.first("ready", Queue)?.[0] === 1 ? Now : nextOf(table, Queue, Infinity);
  return (next ?? Infinity) > Now ? [[], [], next, 0] : undefined;
}

/** Claims jobs. */
function claim(table: Rows, request: jobs.ClaimRequest): ClaimOutput {
  const { Queue, Now, LeaseUntil, IsAlone, Crashed = "include" } = request;
  // Updates that find nothing cost more than a look.
  const [lease, due] = table.first("first", Queue) as (number | null)[];
  const isExpired = (lease ?? Infinity) <= Now;
  const expired = isExpired ? table.all("expire", json(request)) : [];
  if ((due ?? Infinity) <= Now) table.run("promote", Queue, Now);
  const paused = pausesOf(table, request);
  const Names = paused.includes("") ? [] : request.Names.filter((name) => !paused.includes(name));
  const names = JSON.stringify(Names);
  const isFree = [request.Limits, request.GroupLimits].every(({ MaxRunning, Rate }) => !MaxRunning && !Rate);
  const claimed: Row[] = [];
  let blockedUntil = Infinity;
  for (const suffix of Crashed === "include" ? ["", "Suspect"] : Crashed === "only" ? ["Suspect"] : [""]) {
    const values = [LeaseUntil, IsAlone ? 1 : 0, Now, Queue, names, request.Count - claimed.length];
    if (isFree) claimed.push(...table.all(`claim${suffix}`, ...values));
    else blockedUntil = Math.min(blockedUntil, claimWithin(table, { ...request, Names }, suffix, claimed));
  }
  const next = claimed.length === request.Count ? Now : nextOf(table, Queue, blockedUntil);
  const crashes = table.first("suspect", Queue, names)?.[0] as number | undefined ?? 0;
  return [claimed, expired, next, crashes];
}

/** Corrects the start of jobs. */
function restart(table: Rows, { Groups, At, ...request }: Input): void {
  for (const group of new Set([null, ...Groups])) {
    table.run("restart", At, limitsOf(request, group).key, request.StartsAt ?? request.Now);
  }
}

/** Returns the names of paused jobs. */
function pausesOf(table: Rows, { Queue }: Pick<Input, "Queue">): string[] {
  return table.all("pauses", Queue).map(([name]) => name as string);
}

/** Returns the time at which another job may be claimed if none can be now, or `null` if there is none. */
function nextOf(table: Rows, queue: string, blockedUntil: number): number | null {
  const [lease, due] = table.first("first", queue) as (number | null)[];
  const next = Math.min(lease ?? Infinity, due ?? Infinity, blockedUntil);
  return next === Infinity ? null : next;
}

/** Claims one job after another, within the limits. Returns the time at which a rate allows more. */
function claimWithin(table: Rows, request: jobs.ClaimRequest, suffix: string, claimed: Row[]): number {
  const { Queue, Names, Count, Now, LeaseUntil, StartsAt = Now, IsAlone } = request;
  const full: string[] = [];
  let blockedUntil = Infinity;
  while (claimed.length < Count) {
    const row = table.first(`candidate${suffix}`, Queue, JSON.stringify(Names), JSON.stringify(full));
    if (row === undefined) break;
    const [seq, group] = row as [number, string | null];
    const queueAt = freeAt(table, request, null);
    const at = group === null ? queueAt : Math.max(queueAt, freeAt(table, request, group));
    if (at > Now) {
      blockedUntil = Math.min(blockedUntil, at);
      if (group === null || queueAt > Now) break;
      full.push(group);
      continue;
    }
    for (const each of new Set([null, group])) {
      const { key, Rate } = limitsOf(request, each);
      if (Rate !== undefined) table.run("start", key, StartsAt, StartsAt + Rate.Period);
    }
    claimed.push(table.first("claimOne", LeaseUntil, IsAlone ? 1 : 0, Now, seq) as Row);
  }
  return blockedUntil;
}

/** Returns the time at which the limits allow another job, or infinity if a running one has to end first. */
function freeAt(table: Rows, request: jobs.ClaimRequest, group: string | null): number {
  const { Queue, Now } = request;
  const { key, MaxRunning = Infinity, Rate } = limitsOf(request, group);
  const start = Rate && table.first("starts", key, Now - Rate.Period, Rate.Limit - 1)?.[0] as number | undefined;
  if (Rate && start !== undefined) return start + Rate.Period;
  const isFull = MaxRunning < Infinity && table.first("running", Queue, group)?.[0] as number >= MaxRunning;
  return isFull ? Infinity : Now;
}

/** Ends attempts. Reports for each one whether its claim was valid. */
function finish(table: Rows, { Endings, Now }: Input): boolean[] {
  return Endings.map(({ ID, Token, State, IsReleased, Due = Now, KeepUntil = null, ReportAt = null, ...ending }) => {
    const error = [ending.Error === undefined ? 0 : 1, ending.Error ?? null] as const;
    if (State === "waiting") return table.run("wait", Due, Now, IsReleased ? 1 : 0, ...error, ID, Token) > 0;
    const isOver = KeepUntil !== null && KeepUntil <= Now && ReportAt === null;
    if (isOver && table.run("finishAndDelete", ID, Token, Now) > 0) return true;
    const rest = [Now, KeepUntil, ReportAt, Now, ID, Token] as const;
    return table.run("finish", State, ending.Result ?? null, ...error, ...rest) > 0;
  });
}

/** Returns the limits of a group, or those of the queue, with the key of its starts. */
function limitsOf({ Queue, Limits, GroupLimits }: jobs.ClaimRequest, group: string | null) {
  return group === null
    ? { key: JSON.stringify([Queue]), ...Limits }
    : { key: JSON.stringify([Queue, group]), ...GroupLimits };
}

function list(table: Rows, { Queue, Name, State, Limit, Before = Number.MAX_SAFE_INTEGER, IsRetried }: Input): Row[] {
  const of = (rows: unknown[][]) => rows.map(([seq]) => seq as number);
  const kinds = table.all("kinds", Queue ?? null, Name ?? null, IsRetried ? "waiting" : State ?? null);
  // The pages of all kinds are merged, because no index contains the jobs of several kinds in their order.
  const seqs = IsRetried
    ? [...new Set(kinds.map(([queue]) => queue as string))]
      .flatMap((queue) => of(table.all("retried", queue, Name ?? null, Before, Limit)))
    : kinds.flatMap((kind) => of(table.all("page", ...kind.slice(0, 3) as string[], Before, Limit)));
  const page = seqs.sort((a, b) => b - a).slice(0, Limit);
  return table.all("records", JSON.stringify(page));
}

function stats(table: Rows, { Now }: Input): CountedQueue[] {
  const kinds = Map.groupBy(table.all("kinds", null, null, null), ([queue]) => queue as string);
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
  const swept = table.run("sweep", json({ Now }));
  // If there may be more of them, the next sweep follows soon.
  return forgotten < mostForgotten ? swept : Math.max(1, swept);
}

function tick(table: Rows, { Queue, Name, At, Job, Now }: Input): boolean {
  const input = json({ Queue, Name, At, Now });
  if (table.run("tick", input) === 0) return false;
  table.run("ticked", input);
  add(table, Job, Now);
  return true;
}
