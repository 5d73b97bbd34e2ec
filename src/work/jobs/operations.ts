/**
 * The operations on the jobs of a queue.
 *
 * @module
 */

import { setImmediate } from "node:timers";
import { checkArgument, optionTable, readOptions } from "../../base/config/option_table.ts";
import { count, filled, flag, oneOf, type OptionRows, text } from "../../base/config/option_kinds.ts";
import { timesOf } from "../../base/time/tick_times.ts";
import { currentTrace } from "../../core/exchange/span.ts";
import type { Awaitable } from "../../state/store/store.ts";
import { Adder, newJob, type OperatedQueue } from "./adding.ts";
import { timeAfter } from "./clock.ts";
import { infoOf, type Job, type JobInfo, nameOf } from "./job.ts";
import type { Added, JobRecord, JobState, KindStats, ListFilter, QueueStats, ScheduleRecord } from "./store.ts";

/** The jobs of a queue to change. Omitted properties match all jobs. */
export type JobFilter = Pick<ListFilter, "State" | "Name" | "IsRetried">;

/** The IDs of jobs, or a filter for jobs. */
export type Selection = readonly string[] | readonly [JobFilter];

/** A schedule and its next tick. */
export interface ScheduleInfo extends ScheduleRecord {
  /** The time of the next tick, or `null` if there is none. */
  readonly Next: number | null;
}

/** Changes jobs in the store. Returns their number. */
type Change = (ids: readonly string[], now: number) => Awaitable<number>;

/** The number of jobs that are changed at once. SQLite needs up to 70 µs for each, in which nothing else runs. */
const changedAtOnce = 100;

const jobRows: OptionRows<JobFilter> = {
  State: oneOf<JobState, undefined>(undefined, "waiting", "running", "done", "failed", "canceled"),
  Name: filled(),
  IsRetried: flag(),
};
const jobTable = optionTable<JobFilter>("jobs.ListFilter", "a selection of jobs")(jobRows);
const filterTable = optionTable<Partial<Omit<ListFilter, "Queue">>>("jobs.ListFilter", "List")({
  ...jobRows,
  Limit: count(),
  Before: count(undefined, { from: 0 }),
});

/** The methods of a queue for operators. */
export class Operations extends Adder {
  readonly #queue: OperatedQueue;

  /**
   * Created by a queue.
   *
   * @ignore
   */
  constructor(queue: OperatedQueue) {
    super(queue);
    this.#queue = queue;
  }

  /**
   * Returns the name of the queue.
   *
   * @returns The `Name` option. Defaults to `default`.
   *
   * @example `queue.Name; // → "default"`
   */
  get Name(): string {
    return this.#queue.settings.Name;
  }

  /**
   * Returns the current time of the queue's clock, in milliseconds since 1970.
   *
   * @returns The time, which a test clock can change.
   *
   * @example `queue.Now(); // the time of the store, in milliseconds`
   */
  Now(): number {
    return this.#queue.clock.now();
  }

  /**
   * Returns a job.
   *
   * @param id The ID.
   * @returns The job, or `null` if it does not exist or has been deleted.
   *
   * @example `(await queue.Get("01J"))?.State; // → "done"`
   */
  async Get(id: string): Promise<JobInfo | null> {
    checkArgument(id, text(), "id", "Get");
    const job = await this.#queue.store.Get(id);
    return job === null ? null : infoOf(job);
  }

  /**
   * Lists jobs of this queue, with the newest first.
   *
   * @param filter The state and the name of the jobs, and the maximum number of jobs, which defaults to 100. For the
   * next page, set `Before` to the `Seq` of the last job.
   * @returns The jobs.
   *
   * @example `const failed = await queue.List({ State: "failed" });`
   */
  async List(filter: Partial<Omit<ListFilter, "Queue">> = {}): Promise<JobInfo[]> {
    readOptions(filterTable, filter);
    const jobs = await this.#queue.store.List({ ...filter, Limit: filter.Limit ?? 100, Queue: this.Name });
    return jobs.map(infoOf);
  }

  /**
   * Returns the numbers of this queue.
   *
   * @returns The numbers of jobs by state, and the time at which the oldest job became due. If more than
   * 10,000 jobs are due and more than 10,000 are not, 10,000 are reported.
   *
   * @example `const stats = await queue.Stats();`
   */
  async Stats(): Promise<QueueStats> {
    const all = await this.#queue.store.Stats(await this.#now());
    const none = { Waiting: 0, Due: 0, Running: 0, Failed: 0, Done: 0, OldestDue: null };
    return all.find(({ Queue }) => Queue === this.Name) ?? { Queue: this.Name, ...none };
  }

  /**
   * Returns the numbers of jobs in this queue by their name.
   *
   * @returns The numbers.
   *
   * @example `const kinds = await queue.Kinds();`
   */
  async Kinds(): Promise<readonly KindStats[]> {
    return await this.#queue.store.Kinds(this.Name);
  }

  /**
   * Cancels jobs. Waiting jobs do not start. The signals of running jobs are aborted.
   *
   * @param jobs The IDs, or a filter.
   * @returns The number of canceled jobs.
   *
   * @example `await queue.Cancel("01J"); // → 1`
   */
  async Cancel(...jobs: Selection): Promise<number> {
    const { store, settings: { KeepFailed } } = this.#queue;
    const cancel: Change = (ids, now) => store.Cancel(ids, now, timeAfter(now, KeepFailed));
    const count = await this.#change(jobs, cancel, "waiting", "running");
    await this.#queue.canceled();
    return count;
  }

  /**
   * Makes failed and canceled jobs due again, with all their attempts.
   *
   * @param jobs The IDs, or a filter.
   * @returns The number of jobs.
   *
   * @example `await queue.Retry("01J"); // → 1`
   */
  async Retry(...jobs: Selection): Promise<number> {
    return await this.#change(jobs, (ids, now) => this.#queue.store.Retry(ids, now), "failed", "canceled");
  }

  /**
   * Makes waiting jobs due now, for example those that wait for their next attempt. The last job of a batch still waits
   * for the others.
   *
   * @param jobs The IDs, or a filter.
   * @returns The number of jobs.
   *
   * @example `await queue.RunNow("01J"); // → 1`
   */
  async RunNow(...jobs: Selection): Promise<number> {
    return await this.#change(jobs, (ids, now) => this.#queue.store.Hurry(ids, now), "waiting");
  }

  /**
   * Deletes jobs that are not running.
   *
   * @param jobs The IDs, or a filter.
   * @returns The number of deleted jobs.
   *
   * @example `await queue.Delete("01J"); // → 1`
   */
  async Delete(...jobs: Selection): Promise<number> {
    return await this.#change(jobs, (ids) => this.#queue.store.Delete(ids), undefined);
  }

  /**
   * Pauses the queue, or one of its jobs, in all processes. Running jobs are finished, and no others start.
   *
   * @param job The class or function of the jobs, or its name. If omitted, the whole queue is paused.
   *
   * @example `await queue.Pause(shipOrder);`
   */
  async Pause(job?: Job | string): Promise<void> {
    await this.#queue.store.Pause(this.Name, kindOf(job, "Pause"), true);
  }

  /**
   * Ends a pause.
   *
   * @param job The class or function that was passed to {@linkcode Pause}.
   *
   * @example `await queue.Resume(shipOrder);`
   */
  async Resume(job?: Job | string): Promise<void> {
    await this.#queue.store.Pause(this.Name, kindOf(job, "Resume"), false);
  }

  /**
   * Returns the names of the jobs that are paused.
   *
   * @returns The names. An empty string represents the whole queue.
   *
   * @example `await queue.Paused(); // → ["shipOrder"]`
   */
  async Paused(): Promise<readonly string[]> {
    return await this.#queue.store.Pauses(this.Name);
  }

  /**
   * Returns the schedules of this queue, including those that other processes have registered.
   *
   * @returns The schedules.
   *
   * @example `(await queue.Schedules()).map(({ Name }) => Name); // → ["shipOrder"]`
   */
  async Schedules(): Promise<ScheduleInfo[]> {
    await this.#queue.declareSchedules();
    const own = (await this.#queue.store.Schedules()).filter(({ Queue }) => Queue === this.Name);
    const now = await this.#now();
    return await Promise.all(own.map(async (schedule) => {
      const next = (await timesOf(schedule.Cron, schedule.TimeZone)).next(now);
      return { ...schedule, Next: Number.isFinite(next) ? next : null };
    }));
  }

  /**
   * Adds the job of a schedule now, besides its ticks.
   *
   * @param name The name of the schedule.
   * @returns The ID, or `null` if there is no such schedule.
   *
   * @example `await queue.RunSchedule("shipOrder");`
   */
  async RunSchedule(name: string): Promise<Added | null> {
    checkArgument(name, text(), "name", "RunSchedule");
    const found = (await this.Schedules()).find(({ Name }) => Name === name);
    if (found === undefined || found.Job === "") return null;
    const job = { Name: found.Job, Data: found.Data, Trace: currentTrace() };
    return (await this.#queue.store.Add([newJob(this.#queue, job)], this.Now()))[0] ?? null;
  }

  async #now(): Promise<number> {
    await this.#queue.clock.sync();
    return this.#queue.clock.now();
  }

  /** Changes jobs in small steps, between which other work of the process continues. */
  async #change(jobs: Selection, change: Change, ...states: readonly (JobState | undefined)[]): Promise<number> {
    const [first, ...rest] = jobs;
    const now = await this.#now();
    let count = 0;
    const step = async (ids: readonly string[]) => {
      if (ids.length > 0) count += await change(ids, now);
      await new Promise((resolve) => setImmediate(resolve));
    };
    if (first === undefined || typeof first === "string") {
      const ids = [first, ...rest].filter((id) => typeof id === "string");
      for (let i = 0; i < ids.length; i += changedAtOnce) await step(ids.slice(i, i + changedAtOnce));
      return count;
    }
    // A value without properties would match all jobs, and so would one with a limit that is ignored.
    readOptions(jobTable, first);
    for (const State of first.State === undefined ? states : [first.State]) {
      let page: readonly JobRecord[] = [];
      do {
        const filter = { ...first, Queue: this.Name, State, Before: page.at(-1)?.Seq, Limit: changedAtOnce };
        page = await this.#queue.store.List(filter);
        await step(page.map(({ ID }) => ID));
      } while (page.length === changedAtOnce);
    }
    return count;
  }
}

/** Returns the name of the jobs to pause or resume, or an empty string for the whole queue. */
function kindOf(job: Job | string | undefined, method: string): string {
  if (job === undefined) return "";
  // An empty string, such as that of a form without a choice, would pause the whole queue.
  if (typeof job === "string") checkArgument(job, filled(), "job", method);
  return typeof job === "string" ? job : nameOf(job);
}
