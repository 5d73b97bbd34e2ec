/**
 * Claims jobs in a SQLite database, and ends their attempts.
 *
 * @module
 */

import type { Table } from "../../../state/store/sqlite_table.ts";
import { type Applied, isLimited, limitsOf } from "./limits.ts";
import { claimedOf, recordOf } from "./job_columns.ts";
import type * as jobs from "../store.ts";
import { leaseExpired } from "../store.ts";

/** The maximum number of jobs that one statement changes, so that it does not block the process. */
export const mostAtOnce = 500;

/** The claims in a database. Each method is called in a transaction. */
export class Claims {
  readonly #table: Table<string>;

  constructor(table: Table<string>) {
    this.#table = table;
  }

  /** Claims jobs. */
  claim(request: jobs.ClaimRequest): jobs.Claimed {
    const { Queue, Now, Limits, GroupLimits, Crashed = "include" } = request;
    const Expired = this.#expire(request);
    this.#table.run("promote", Queue, Now, mostAtOnce);
    const paused = this.pauses(Queue);
    const Names = paused.includes("") ? [] : request.Names.filter((name) => !paused.includes(name));
    const open = { ...request, Names };
    const isFree = !isLimited(Limits) && !isLimited(GroupLimits);
    const Jobs: jobs.JobRecord[] = [];
    let blockedUntil = Infinity;
    for (const suffix of Crashed === "include" ? ["", "Suspect"] : Crashed === "only" ? ["Suspect"] : [""]) {
      const rest = { ...open, Count: request.Count - Jobs.length };
      const [claimed, until] = isFree ? [this.#claim(rest, suffix), Infinity] : this.#claimWithin(rest, suffix);
      Jobs.push(...claimed);
      blockedUntil = Math.min(blockedUntil, until);
    }
    const Crashes = this.#table.first("suspect", Queue, JSON.stringify(Names))?.[0] as number | undefined ?? 0;
    const isFull = Jobs.length === request.Count;
    return { Jobs, Expired, Next: isFull ? Now : finite(this.next(Queue, blockedUntil).at), Crashes };
  }

  /** Returns the names of paused jobs. */
  pauses(queue: string): string[] {
    return this.#table.all("pauses", queue).map(([name]) => name as string);
  }

  /** Returns the time at which the next claim can succeed, and whether one can succeed now. */
  next(queue: string, blockedUntil: number): { at: number; isReady: boolean } {
    const [lease, due, isReady] = this.#table.first("first", queue) as (number | null)[];
    return { at: Math.min(lease ?? Infinity, due ?? Infinity, blockedUntil), isReady: isReady === 1 };
  }

  #claim({ Queue, Names, Count, Now, LeaseUntil, IsAlone }: jobs.ClaimRequest, suffix: string): jobs.JobRecord[] {
    const claim = [LeaseUntil, IsAlone ? 1 : 0, Now] as const;
    return claimedOf(this.#table.all(`claim${suffix}`, ...claim, Queue, JSON.stringify(Names), Count));
  }

  /** Claims one job after another, within the limits. Returns the jobs, and the time at which a rate allows more. */
  #claimWithin(request: jobs.ClaimRequest, suffix: string): [jobs.JobRecord[], number] {
    const { Queue, Names, Count, Now, LeaseUntil, StartsAt = Now, IsAlone } = request;
    const claimed: jobs.JobRecord[] = [];
    const full: string[] = [];
    let blockedUntil = Infinity;
    while (claimed.length < Count) {
      const row = this.#table.first(`candidate${suffix}`, Queue, JSON.stringify(Names), JSON.stringify(full));
      if (row === undefined) break;
      const [seq, group] = row as [number, string | null];
      const applied = limitsOf(request, group);
      const times = applied.map((each) => ({ ...each, at: this.#freeAt(each, request) }));
      const blocking = times.filter(({ at }) => at > Now);
      if (blocking.length > 0) {
        blockedUntil = Math.min(blockedUntil, Math.max(...blocking.map(({ at }) => at)));
        if (group === null || blocking.some((each) => each.group === null)) break;
        full.push(group);
        continue;
      }
      for (const { key, limits: { Rate } } of applied) {
        if (Rate !== undefined) this.#table.run("start", key, StartsAt, StartsAt + Rate.Period);
      }
      claimed.push(recordOf(this.#table.first("claimOne", LeaseUntil, IsAlone ? 1 : 0, Now, seq) as unknown[]));
    }
    return [claimed, blockedUntil];
  }

  /** Returns the time at which another job may start, or infinity if a running one has to end first. */
  #freeAt({ key, limits: { MaxRunning, Rate }, group }: Applied, { Queue, Now }: jobs.ClaimRequest): number {
    const running = MaxRunning === undefined ? 0 : this.#table.first("running", Queue, group)?.[0] as number;
    if (MaxRunning !== undefined && running >= MaxRunning) return Infinity;
    if (Rate === undefined) return Now;
    const start = this.#table.first("starts", key, Now - Rate.Period, Rate.Limit - 1)?.[0] as number | undefined;
    return start === undefined ? Now : start + Rate.Period;
  }

  /** Ends the attempts whose lease has expired. Returns the jobs that have failed. */
  #expire({ Queue, Now, ReportAt = null }: jobs.ClaimRequest): jobs.JobRecord[] {
    const failed: jobs.JobRecord[] = [];
    for (const row of this.#table.all("expired", Queue, Now, mostAtOnce)) {
      const job = recordOf(row);
      const State = job.IsCanceled
        ? "canceled"
        : row.at(-1) === 1 && job.Attempt >= job.MaxAttempts
        ? "failed"
        : "waiting";
      const end = { Error: leaseExpired, KeepUntil: null, ReportAt: State === "failed" ? ReportAt : null };
      if (State === "waiting") this.#table.run("expire", leaseExpired, job.ID, job.Token);
      else this.finish({ ...job, State, ...end, Result: null }, Now);
      if (State === "failed") failed.push({ ...job, State, Error: leaseExpired, LeaseUntil: null, Finished: Now });
    }
    return failed;
  }

  /** Ends an attempt. Reports whether its claim was valid. */
  finish(ending: jobs.Ending, now: number): boolean {
    const { ID, Token, State, IsReleased = false, Due = now, Result = null, Error, KeepUntil = null, ReportAt = null } =
      ending;
    const error = [Error === undefined ? 0 : 1, Error ?? null] as const;
    if (State === "waiting") return this.#table.run("wait", Due, now, IsReleased ? 1 : 0, ...error, ID, Token) > 0;
    const isOver = KeepUntil !== null && KeepUntil <= now && ReportAt === null;
    if (isOver && this.#table.run("remove", ID, Token, now) > 0) return true;
    return this.#table.run("finish", State, Result, ...error, now, KeepUntil, ReportAt, now, ID, Token) > 0;
  }
}

/** Returns a time, or `null` if it is infinite. */
export function finite(time: number): number | null {
  return Number.isFinite(time) ? time : null;
}
