/**
 * Claims jobs in a SQLite database, and ends their attempts.
 *
 * @module
 */

import type { Table } from "../../../state/store/sqlite_table.ts";
import { claimedOf, recordOf } from "./job_columns.ts";
import type * as jobs from "../store.ts";
import { leaseExpired } from "../store.ts";

/** The maximum number of jobs that one statement changes, so that it does not block the process. */
export const mostAtOnce = 500;

/** An open database with the statements for jobs. Functions that change it are called in a transaction. */
export type Rows = Table<string>;

/** Returns the outcome of a claim that finds nothing, or `undefined` if there may be something to claim. */
export function claimNothing(table: Rows, { Queue, Now }: jobs.ClaimRequest): jobs.Claimed | undefined {
  const Next = table.first("ready", Queue)?.[0] === 1 ? Now : nextOf(table, Queue, Infinity);
  return (Next ?? Infinity) > Now ? { Jobs: [], Expired: [], Next, Crashes: 0 } : undefined;
}

/** Claims jobs. */
export function claim(table: Rows, request: jobs.ClaimRequest): jobs.Claimed {
  const { Queue, Now, LeaseUntil, IsAlone, ReportAt = null, Crashed = "include" } = request;
  // Updates that find nothing cost more than a look.
  const [lease, due] = table.first("first", Queue) as (number | null)[];
  const isExpired = (lease ?? Infinity) <= Now;
  const expired = isExpired ? table.all("expire", Now, ReportAt, leaseExpired, Queue, mostAtOnce).map(recordOf) : [];
  if ((due ?? Infinity) <= Now) table.run("promote", Queue, Now, mostAtOnce);
  const paused = pausesOf(table, Queue);
  const Names = paused.includes("") ? [] : request.Names.filter((name) => !paused.includes(name));
  const names = JSON.stringify(Names);
  const isFree = limitsOf(request, "").length === 0;
  const Jobs: jobs.JobRecord[] = [];
  let blockedUntil = Infinity;
  for (const suffix of Crashed === "include" ? ["", "Suspect"] : Crashed === "only" ? ["Suspect"] : [""]) {
    const Count = request.Count - Jobs.length;
    if (isFree) {
      Jobs.push(...claimedOf(table.all(`claim${suffix}`, LeaseUntil, IsAlone ? 1 : 0, Now, Queue, names, Count)));
    } else {
      const [claimed, until] = claimWithin(table, { ...request, Names, Count }, suffix);
      Jobs.push(...claimed);
      blockedUntil = Math.min(blockedUntil, until);
    }
  }
  return {
    Jobs,
    Expired: expired.filter(({ State }) => State === "failed"),
    Next: Jobs.length === request.Count ? Now : nextOf(table, Queue, blockedUntil),
    Crashes: table.first("suspect", Queue, names)?.[0] as number | undefined ?? 0,
  };
}

/** Corrects the start of jobs. */
export function restart(table: Rows, request: jobs.ClaimRequest, groups: readonly (string | null)[], at: number): void {
  const keys = new Set(groups.flatMap((group) => limitsOf(request, group)).map(({ key }) => key));
  for (const key of keys) table.run("restart", at, key, request.StartsAt ?? request.Now);
}

/** Returns the names of paused jobs. */
export function pausesOf(table: Rows, queue: string): string[] {
  return table.all("pauses", queue).map(([name]) => name as string);
}

/** Returns the time at which another job may be claimed if none can be now, or `null` if there is none. */
function nextOf(table: Rows, queue: string, blockedUntil: number): number | null {
  const [lease, due] = table.first("first", queue) as (number | null)[];
  const next = Math.min(lease ?? Infinity, due ?? Infinity, blockedUntil);
  return next === Infinity ? null : next;
}

/** Claims one job after another, within the limits. Returns the jobs, and the time at which a rate allows more. */
function claimWithin(table: Rows, request: jobs.ClaimRequest, suffix: string): [jobs.JobRecord[], number] {
  const { Queue, Names, Count, Now, LeaseUntil, StartsAt = Now, IsAlone } = request;
  const claimed: jobs.JobRecord[] = [];
  const full: string[] = [];
  let blockedUntil = Infinity;
  while (claimed.length < Count) {
    const row = table.first(`candidate${suffix}`, Queue, JSON.stringify(Names), JSON.stringify(full));
    if (row === undefined) break;
    const [seq, group] = row as [number, string | null];
    const applied = limitsOf(request, group);
    const times = applied.map((each) => ({ ...each, at: freeAt(table, each, request) }));
    const blocking = times.filter(({ at }) => at > Now);
    if (blocking.length > 0) {
      blockedUntil = Math.min(blockedUntil, Math.max(...blocking.map(({ at }) => at)));
      if (group === null || blocking.some((each) => each.group === null)) break;
      full.push(group);
      continue;
    }
    for (const { key, limits: { Rate } } of applied) {
      if (Rate !== undefined) table.run("start", key, StartsAt, StartsAt + Rate.Period);
    }
    claimed.push(recordOf(table.first("claimOne", LeaseUntil, IsAlone ? 1 : 0, Now, seq) as unknown[]));
  }
  return [claimed, blockedUntil];
}

/** Returns the time at which another job may start, or infinity if a running one has to end first. */
function freeAt(table: Rows, { key, limits, group }: Limit, { Queue, Now }: jobs.ClaimRequest): number {
  const { MaxRunning, Rate } = limits;
  const running = MaxRunning === undefined ? 0 : table.first("running", Queue, group)?.[0] as number;
  if (MaxRunning !== undefined && running >= MaxRunning) return Infinity;
  if (Rate === undefined) return Now;
  const start = table.first("starts", key, Now - Rate.Period, Rate.Limit - 1)?.[0] as number | undefined;
  return start === undefined ? Now : start + Rate.Period;
}

/** Ends an attempt. Reports whether its claim was valid. */
export function finish(table: Rows, ending: jobs.Ending, now: number): boolean {
  const { ID, Token, State, IsReleased = false, Due = now, Result = null, Error, KeepUntil = null, ReportAt = null } =
    ending;
  const error = [Error === undefined ? 0 : 1, Error ?? null] as const;
  if (State === "waiting") return table.run("wait", Due, now, IsReleased ? 1 : 0, ...error, ID, Token) > 0;
  const isOver = KeepUntil !== null && KeepUntil <= now && ReportAt === null;
  if (isOver && table.run("remove", ID, Token, now) > 0) return true;
  return table.run("finish", State, Result, ...error, now, KeepUntil, ReportAt, now, ID, Token) > 0;
}

/** A limit of a queue, or of a group. */
type Limit = ReturnType<typeof limitsOf>[number];

/** Returns the limits that apply to the jobs of a group, or to those without one. */
function limitsOf({ Queue, Limits, GroupLimits }: jobs.ClaimRequest, group: string | null) {
  const ofQueue = { key: JSON.stringify([Queue]), limits: Limits, group: null };
  const ofGroup = { key: JSON.stringify([Queue, group]), limits: group === null ? {} : GroupLimits, group };
  return [ofQueue, ofGroup].filter(({ limits: { MaxRunning, Rate } }) => (MaxRunning ?? Rate) !== undefined);
}
