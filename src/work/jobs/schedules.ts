/**
 * Schedules. They add jobs at the times of a cron expression, once for all processes.
 *
 * @module
 */

import { filled, milliseconds, oneOf, type Option, text, where } from "../../base/config/option_kinds.ts";
import { checkArgument, type Filled, optionTable, readOptions } from "../../base/config/option_table.ts";
import { FrameworkError } from "../../base/errors/errors.ts";
import { messageOf } from "../../base/errors/to_error.ts";
import { type TickTimes, timesOf, wakeExpression } from "../../base/time/tick_times.ts";
import { addSettings, newJob } from "./adding.ts";
import type { QueueParts } from "./failure_reports.ts";
import { encode, type Job, nameOf } from "./job.ts";
import type { ScheduleRecord } from "./store.ts";

/** Options for `Schedule`. */
export interface ScheduleOptions {
  /** The name of the schedule, which must be unique in its queue. Defaults to the job's name. */
  Name?: string;
  /**
   * The time zone, such as `Europe/Berlin`. A time that daylight saving time skips is moved forward by the skipped
   * interval. A time that occurs twice is used only the first time.
   *
   * @default {"UTC"}
   */
  TimeZone?: string;
  /**
   * The policy for ticks that no process handled in time. `"once"` runs the job once for all of them, and `"skip"`
   * ignores them.
   *
   * @default {"skip"}
   */
  Missed?: "skip" | "once";
  /**
   * The time after which a tick is considered missed, in milliseconds.
   *
   * @default {60000}
   */
  MissedAfter?: number;
}

const table = optionTable<ScheduleOptions>("jobs.ScheduleOptions", "a schedule")({
  Name: filled(),
  TimeZone: filled("UTC"),
  Missed: oneOf("skip", "skip", "once"),
  MissedAfter: milliseconds(60_000),
});

/** The rule for cron expressions. The library would accept a seventh field for the year, which other parts ignore. */
const cronRule: Option<string, undefined> = where(
  text(),
  "a cron expression with five fields, or six if it begins with seconds",
  (value) => /^\s*(?:@\w+|\S+(?:\s+\S+){4,5})\s*$/.test(value),
);

/** A registered schedule. */
interface Schedule {
  readonly record: Omit<ScheduleRecord, "Last">;
  readonly times: TickTimes;
  readonly options: Filled<ScheduleOptions, "Name">;
  /** The time at which the schedule was registered. The ticks after it are due, even if no worker runs yet. */
  readonly since: number;
  /** The time of the last tick that was reported, or `undefined` if the store has not been asked. */
  last: number | undefined;
  /** The time of the last look. */
  seen: number;
  /** The time of the next tick. */
  next: number;
}

/** The schedules of a queue. */
export class Schedules {
  readonly #queue: QueueParts;
  readonly #all = new Map<string, Schedule>();
  #loading: Promise<unknown> = Promise.resolve();

  constructor(queue: QueueParts) {
    this.#queue = queue;
  }

  /**
   * Registers a schedule.
   *
   * @param cron The cron expression.
   * @param job The class or function that runs the job.
   * @param data The data of each job.
   * @param options The options.
   */
  add(cron: string, job: Job, data: unknown, options: ScheduleOptions = {}): Promise<void> {
    const adding = this.#add(cron, job, data, readOptions(table, options));
    // A worker that starts before all schedules are registered waits for them. The caller receives the error.
    this.#loading = Promise.all([this.#loading, adding.catch(() => {})]);
    return adding;
  }

  /**
   * Adds the jobs of all ticks since the last call.
   *
   * @returns The time of the next tick, or infinity.
   */
  async look(): Promise<number> {
    await this.#loading;
    let next = Infinity;
    for (const schedule of this.#all.values()) {
      const now = this.#queue.clock.now();
      // If the clock was set back, the next tick may be earlier than it was.
      if (now < schedule.seen - setBackAtLeast) Object.assign(schedule, unasked);
      schedule.seen = now;
      if (now >= schedule.next) await this.#tick(schedule, now);
      next = Math.min(next, schedule.next);
    }
    return next;
  }

  /** Stores the schedules that the store does not know yet, so that operators find them before the first look. */
  async declare(): Promise<void> {
    await this.#loading;
    for (const schedule of this.#all.values()) await this.#ask(schedule, this.#queue.clock.now());
  }

  /** Registers the schedules with `Deno.cron` where it exists, so that Deno Deploy wakes the application. */
  async register(signal: AbortSignal, wake: () => Promise<void>): Promise<void> {
    await this.#loading;
    const { cron } = Deno as unknown as { cron?: DenoCron };
    if (cron === undefined) return;
    for (const { record: { Queue, Name, Cron, TimeZone } } of this.#all.values()) {
      const title = `${Queue} ${Name}`.replace(/[^\w -]/g, "-").slice(0, 64);
      void cron(title, wakeExpression(Cron, TimeZone), { signal }, wake);
    }
  }

  async #add(Cron: string, job: Job, data: unknown, options: Schedule["options"]): Promise<void> {
    const Job = nameOf(job);
    const { Name = Job, TimeZone } = options;
    const Data = await encode(job, data);
    checkArgument(Cron, cronRule, "cron", "Schedule");
    const refuse = (reason: string, cause?: unknown) =>
      new FrameworkError("FW_JOB", `Cannot schedule "${Name}" at "${Cron}": ${reason}`, { cause });
    if (this.#all.has(Name)) throw refuse("another schedule has the same name; set the option Name");
    const times = await timesOf(Cron, TimeZone).catch((error) => {
      throw refuse(messageOf(error), error);
    });
    const { clock, settings } = this.#queue;
    await clock.sync();
    const since = clock.now();
    if (times.next(since) === Infinity) throw refuse("The expression never occurs");
    const record = { Queue: settings.Name, Name, Cron, TimeZone, Job, Data };
    this.#all.set(Name, { record, times, options, since, seen: since, ...unasked });
  }

  async #tick(schedule: Schedule, now: number): Promise<void> {
    const { record: { Queue, Name, Data, ...record } } = schedule;
    schedule.last = await this.#ask(schedule, now);
    for (const At of ticksOf(schedule, schedule.last, now)) {
      const Job = newJob(this.#queue, { Name: record.Job, Data, Trace: null }, addSettings({ At }));
      await this.#queue.store.Tick({ Queue, Name, At, Job }, now);
      schedule.last = At;
    }
    // The ticks until now have been reported or are missed.
    schedule.last = Math.max(schedule.last, now);
    schedule.next = schedule.times.next(schedule.last);
  }

  /** Returns the time of the last tick that was reported. If it is not known, stores the schedule. */
  async #ask(schedule: Schedule, now: number): Promise<number> {
    const { record, since } = schedule;
    if (schedule.last !== undefined) return schedule.last;
    const { Last } = await this.#queue.store.Schedule(record, Math.min(now, since));
    // A tick may have been reported meanwhile.
    return schedule.last ??= Math.min(now, Last);
  }
}

/** The difference from the last look that shows that the clock was set back, in milliseconds. */
const setBackAtLeast = 1_000;

/** The state of a schedule whose last tick is not known. */
const unasked: Pick<Schedule, "last" | "next"> = { last: undefined, next: -Infinity };

/** Returns the ticks after one time and until another for which a job is added. */
function ticksOf({ times, options }: Schedule, last: number, now: number): number[] {
  const missed = Math.max(last, now - options.MissedAfter);
  const latest = options.Missed === "once" ? times.last(last, missed) : undefined;
  const ticks = latest === undefined ? [] : [latest];
  for (let at = times.next(missed); at <= now; at = times.next(at)) ticks.push(at);
  return ticks;
}

/** The unstable `Deno.cron`. */
type DenoCron = (name: string, schedule: string, options: object, handler: () => Promise<void>) => Promise<void>;
