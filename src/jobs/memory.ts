/**
 * A job store in process memory, for tests and development.
 *
 * @module
 */

import { FrameworkError } from "../errors/errors.ts";
import { freeAt, limitsOf } from "./limits.ts";
import {
  type Added,
  type Claim,
  type Claimed,
  type ClaimRequest,
  type Ending,
  expiredState,
  type JobRecord,
  leaseExpired,
  type ListFilter,
  type NewJob,
  type QueueStats,
  type Renewal,
  type ScheduleRecord,
  type Store,
  type Tick,
} from "./store.ts";
import { type Row, WaitingJobs } from "./waiting_jobs.ts";

/**
 * Creates a job store in process memory.
 *
 * @returns The store.
 */
export function NewMemory(): Store {
  return new MemoryStore();
}

class MemoryStore implements Store {
  readonly #rows = new Map<string, Row>();
  readonly #waiting = new Map<string, WaitingJobs>();
  readonly #running = new Set<Row>();
  readonly #finished = new Set<Row>();
  /** The last job that was added or put back with each key. */
  readonly #holders = new Map<string, Row>();
  readonly #starts = new Map<string, number[]>();
  readonly #schedules = new Map<string, ScheduleRecord>();
  readonly #watchers = new Set<() => void>();
  #order = 0;

  Migrate(): void {}

  Add(jobs: readonly NewJob[], now: number, transaction?: unknown): readonly Added[] {
    if (transaction !== undefined) {
      throw new FrameworkError("FW_JOB", "Cannot add a job in a transaction: the memory store has no transactions");
    }
    const added = jobs.map((job) => this.#add(job, now));
    this.#notify();
    return added;
  }

  Claim(request: ClaimRequest): Claimed {
    const { Queue, Names, Count, Now, LeaseUntil } = request;
    const Expired = this.#expire(Queue, Now);
    const names = new Set(Names);
    const Jobs: JobRecord[] = [];
    let blockedUntil = Infinity;
    this.#waitingIn(Queue).take(Now, (row) => {
      if (Jobs.length === Count) return "stop";
      const { job } = row;
      if (!names.has(job.Name)) return "skip";
      const free = this.#freeAt(request, job);
      if (free > Now) {
        blockedUntil = Math.min(blockedUntil, free);
        return "skip";
      }
      for (const { key } of limitsOf(request, job)) this.#startsOf(key).push(Now);
      this.#set(row, { State: "running", Attempt: job.Attempt + 1, Token: job.Token + 1, LeaseUntil });
      Jobs.push(row.job);
      return "take";
    });
    return { Jobs, Expired, Next: Jobs.length === Count ? Now : this.#next(Queue, blockedUntil) };
  }

  Renew(claims: readonly Claim[], until: number): readonly Renewal[] {
    return claims.map((claim) => {
      const row = this.#claimed(claim);
      if (row === undefined) return "lost";
      this.#set(row, { LeaseUntil: until });
      return row.job.IsCancelled ? "cancelled" : "renewed";
    });
  }

  Finish(endings: readonly Ending[], now: number): readonly boolean[] {
    const valid = endings.map((ending) => {
      const row = this.#claimed(ending);
      if (row !== undefined) this.#finish(row, ending, now);
      return row !== undefined;
    });
    this.#notify();
    return valid;
  }

  Progress(claim: Claim, progress: string): boolean {
    const row = this.#claimed(claim);
    if (row !== undefined) this.#set(row, { Progress: progress });
    return row !== undefined;
  }

  Cancel(ids: readonly string[], now: number): number {
    const rows = this.#find(
      ids,
      ({ State, IsCancelled }) => State === "waiting" || State === "running" && !IsCancelled,
    );
    for (const row of rows) {
      this.#set(row, row.job.State === "running" ? { IsCancelled: true } : { State: "cancelled", Finished: now });
    }
    this.#notify();
    return rows.length;
  }

  Retry(ids: readonly string[], now: number): number {
    const rows = this.#find(ids, ({ State }) => State === "failed" || State === "cancelled");
    for (const row of rows) {
      row.keepUntil = null;
      this.#set(row, { State: "waiting", Attempt: 0, Due: now, IsCancelled: false, Finished: null });
      this.#hold(row, now);
    }
    this.#notify();
    return rows.length;
  }

  Delete(ids: readonly string[]): number {
    const rows = this.#find(ids, ({ State }) => State !== "running");
    for (const row of rows) this.#delete(row);
    return rows.length;
  }

  Get(id: string): JobRecord | null {
    return this.#rows.get(id)?.job ?? null;
  }

  List({ Queue, State, Name, Limit, Offset = 0 }: ListFilter): readonly JobRecord[] {
    const matches = (value: string, wanted: string | undefined) => wanted === undefined || value === wanted;
    return this.#rows.values()
      .map(({ job }) => job)
      .filter((job) => matches(job.Queue, Queue) && matches(job.State, State) && matches(job.Name, Name))
      .toArray().reverse().slice(Offset, Offset + Limit);
  }

  Stats(now: number): readonly QueueStats[] {
    const groups = Map.groupBy(this.#rows.values().map(({ job }) => job), ({ Queue }) => Queue);
    return Array.from(groups, ([Queue, jobs]) => {
      const count = (state: string) => jobs.filter(({ State }) => State === state).length;
      const due = jobs.filter(({ State, Due }) => State === "waiting" && Due <= now).map(({ Due }) => Due);
      return {
        Queue,
        Waiting: count("waiting"),
        Due: due.length,
        Running: count("running"),
        Failed: count("failed"),
        Done: count("done"),
        OldestDue: due.length === 0 ? null : due.reduce((a, b) => Math.min(a, b)),
      };
    }).sort((a, b) => a.Queue < b.Queue ? -1 : 1);
  }

  Sweep(now: number): number {
    const rows = [...this.#finished].filter((row) => isOver(row, now));
    for (const row of rows) this.#delete(row);
    return rows.length;
  }

  Schedule(schedule: Omit<ScheduleRecord, "Last">, now: number): ScheduleRecord {
    const key = joined(schedule.Queue, schedule.Name);
    const before = this.#schedules.get(key);
    const isSame = before?.Cron === schedule.Cron && before.TimeZone === schedule.TimeZone;
    const { Queue, Name, Cron, TimeZone } = schedule;
    // The last tick may be later than the current time, if the clock was set back.
    const record = isSame ? before : { Queue, Name, Cron, TimeZone, Last: Math.max(now, before?.Last ?? 0) };
    this.#schedules.set(key, record);
    return record;
  }

  Schedules(): readonly ScheduleRecord[] {
    return [...this.#schedules.values()];
  }

  Unschedule(queue: string, name: string): boolean {
    return this.#schedules.delete(joined(queue, name));
  }

  Tick({ Queue, Name, At, Job }: Tick, now: number): boolean {
    const key = joined(Queue, Name);
    const schedule = this.#schedules.get(key);
    if (schedule === undefined || schedule.Last >= At) return false;
    this.#schedules.set(key, { ...schedule, Last: At });
    this.#add(Job, now);
    this.#notify();
    return true;
  }

  Watch(wake: () => void): () => void {
    this.#watchers.add(wake);
    return () => void this.#watchers.delete(wake);
  }

  Close(): void {}

  #add(job: NewJob, now: number): Added {
    const holder = this.#holderOf(job, now);
    if (holder !== undefined) return { ID: holder.job.ID, IsNew: false };
    const row: Row = { job: { ...job, ...fresh, Added: now }, order: this.#order++, keepUntil: null };
    this.#rows.set(job.ID, row);
    this.#hold(row, now);
    this.#set(row, {});
    return { ID: job.ID, IsNew: true };
  }

  #holderOf({ Queue, Key }: NewJob, now: number): Row | undefined {
    const holder = Key === null ? undefined : this.#holders.get(joined(Queue, Key));
    return holder !== undefined && (holder.job.State === "waiting" || keepsKey(holder, now)) ? holder : undefined;
  }

  /** Lets a waiting job hold its key, unless another job holds it. */
  #hold(row: Row, now: number): void {
    const { Queue, Key } = row.job;
    if (Key !== null && this.#holderOf(row.job, now) === undefined) this.#holders.set(joined(Queue, Key), row);
  }

  /** Changes a job and moves it to the place for its state. */
  #set(row: Row, changes: Partial<JobRecord>): void {
    row.job = { ...row.job, ...changes };
    const { State, Queue } = row.job;
    if (State === "waiting") this.#waitingIn(Queue).add(row);
    if (State === "running") this.#running.add(row);
    else this.#running.delete(row);
    if (State === "waiting" || State === "running") this.#finished.delete(row);
    else this.#finished.add(row);
  }

  #finish(row: Row, { State, IsReleased = false, Due, Result, Error, KeepUntil = null }: Ending, now: number): void {
    row.keepUntil = KeepUntil;
    this.#set(row, {
      State,
      LeaseUntil: null,
      IsCancelled: false,
      Attempt: row.job.Attempt - (IsReleased ? 1 : 0),
      Due: Due ?? row.job.Due,
      Result: Result ?? null,
      Error: Error === undefined ? row.job.Error : Error,
      Finished: State === "waiting" ? null : now,
    });
    if (State === "waiting") this.#hold(row, now);
    else if (isOver(row, now)) this.#delete(row);
  }

  /** Ends the claims that have expired. Returns the jobs that have used all their attempts. */
  #expire(queue: string, now: number): JobRecord[] {
    const failed: JobRecord[] = [];
    for (const row of [...this.#running]) {
      const { Queue, LeaseUntil, ID, Token } = row.job;
      if (Queue !== queue || (LeaseUntil ?? 0) > now) continue;
      const State = expiredState(row.job);
      this.#finish(row, { ID, Token, State, Error: leaseExpired }, now);
      if (State === "failed") failed.push(row.job);
    }
    return failed;
  }

  /** Returns the time at which the limits allow a job, or infinity if another one has to end first. */
  #freeAt(request: ClaimRequest, job: JobRecord): number {
    const times = limitsOf(request, job).map(({ key, limits, group }) => {
      const isCounted = ({ job }: Row) => job.Queue === request.Queue && (group === null || job.Group === group);
      const running = [...this.#running].filter(isCounted).length;
      return freeAt(limits, { running, starts: this.#startsOf(key) }, request.Now);
    });
    return Math.max(request.Now, ...times);
  }

  #startsOf(key: string): number[] {
    let starts = this.#starts.get(key);
    if (starts === undefined) this.#starts.set(key, starts = []);
    return starts;
  }

  #next(queue: string, blockedUntil: number): number | null {
    const leases = [...this.#running].filter(({ job }) => job.Queue === queue).map(({ job }) => job.LeaseUntil ?? 0);
    const next = Math.min(...leases, this.#waitingIn(queue).nextDue(), blockedUntil);
    return Number.isFinite(next) ? next : null;
  }

  #waitingIn(queue: string): WaitingJobs {
    let waiting = this.#waiting.get(queue);
    if (waiting === undefined) this.#waiting.set(queue, waiting = new WaitingJobs());
    return waiting;
  }

  #claimed({ ID, Token }: Claim): Row | undefined {
    const row = this.#rows.get(ID);
    return row?.job.State === "running" && row.job.Token === Token ? row : undefined;
  }

  #find(ids: readonly string[], matches: (job: JobRecord) => boolean): Row[] {
    return ids.map((id) => this.#rows.get(id)).filter((row) => row !== undefined && matches(row.job)) as Row[];
  }

  #delete(row: Row): void {
    this.#rows.delete(row.job.ID);
    this.#finished.delete(row);
    const key = joined(row.job.Queue, row.job.Key ?? "");
    if (this.#holders.get(key) === row) this.#holders.delete(key);
    // The list of waiting jobs skips jobs that have changed.
    row.job = { ...row.job };
  }

  #notify(): void {
    for (const wake of [...this.#watchers]) wake();
  }
}

/** The properties of a job that has just been added. */
const fresh = {
  State: "waiting",
  Attempt: 0,
  Token: 0,
  LeaseUntil: null,
  IsCancelled: false,
  Progress: null,
  Result: null,
  Error: null,
  Finished: null,
} as const;

function keepsKey({ job: { KeyUntil } }: Row, now: number): boolean {
  return KeyUntil !== null && KeyUntil > now;
}

/** Reports whether a finished job can be deleted. */
function isOver(row: Row, now: number): boolean {
  return row.keepUntil !== null && row.keepUntil <= now && !keepsKey(row, now);
}

function joined(queue: string, name: string): string {
  return JSON.stringify([queue, name]);
}
