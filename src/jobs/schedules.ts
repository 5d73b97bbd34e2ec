/**
 * Schedules. They add jobs at the times of a cron expression, once for all processes.
 *
 * @module
 */

import { loadModule } from "../async/lazy_module.ts";
import type { Filled } from "../config/option_table.ts";
import { FrameworkError } from "../errors/errors.ts";
import { messageOf } from "../errors/to_error.ts";
import type { QueueClock } from "./config.ts";
import type { NewJob, ScheduleRecord, Store } from "./store.ts";

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

/** The part of `croner` that is used. */
interface Cron {
  nextRun(after: Date): Date | null;
  previousRuns(count: number, before: Date): Date[];
}

/** A registered schedule. */
interface Schedule {
  readonly record: Omit<ScheduleRecord, "Last">;
  readonly cron: Cron;
  readonly isOnce: boolean;
  readonly missedAfter: number;
  readonly newJob: (at: number) => NewJob;
  /** The time of the last tick that was reported, or `undefined` if the store has not been asked. */
  last: number | undefined;
  /** The time of the next tick. */
  next: number;
}

/** The schedules of a queue. */
export class Schedules {
  readonly #store: Store;
  readonly #queue: string;
  readonly #clock: QueueClock;
  readonly #all = new Map<string, Schedule>();
  #loading: Promise<unknown> = Promise.resolve();

  constructor(store: Store, queue: string, clock: QueueClock) {
    this.#store = store;
    this.#queue = queue;
    this.#clock = clock;
  }

  /**
   * Registers a schedule.
   *
   * @param expression The cron expression.
   * @param options The options. The name is required.
   * @param newJob Creates the job of a tick.
   */
  add(expression: string, options: Filled<ScheduleOptions>, newJob: (at: number) => NewJob): Promise<void> {
    const adding = this.#add(expression, options, newJob);
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
      if (this.#clock.now() >= schedule.next) await this.#tick(schedule);
      next = Math.min(next, schedule.next);
    }
    return next;
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

  async #add(
    expression: string,
    { Name, TimeZone, Missed, MissedAfter }: Filled<ScheduleOptions>,
    newJob: (at: number) => NewJob,
  ): Promise<void> {
    const refuse = (reason: string, cause?: unknown) =>
      new FrameworkError("FW_JOB", `Cannot schedule "${Name}" at "${expression}": ${reason}`, { cause });
    if (this.#all.has(Name)) throw refuse("another schedule has the same name; set the option Name");
    const { Cron } = await loadModule(() => import("npm:croner@^10"));
    try {
      const cron: Cron = new Cron(expression, { timezone: TimeZone, paused: true });
      if (cron.nextRun(new Date(this.#clock.now())) === null) throw new RangeError("The expression never occurs");
      const record = { Queue: this.#queue, Name, Cron: expression, TimeZone };
      const missed = { isOnce: Missed === "once", missedAfter: MissedAfter };
      this.#all.set(Name, { record, cron, ...missed, newJob, last: undefined, next: -Infinity });
    } catch (error) {
      throw refuse(messageOf(error), error);
    }
  }

  async #tick(schedule: Schedule): Promise<void> {
    const { record, cron } = schedule;
    const { Queue, Name } = record;
    const now = this.#clock.now();
    schedule.last ??= (await this.#store.Schedule(record, now)).Last;
    for (const At of ticksOf(schedule, schedule.last, now)) {
      await this.#store.Tick({ Queue, Name, At, Job: schedule.newJob(At) }, now);
      schedule.last = At;
    }
    // The ticks until now have been reported or are missed.
    schedule.last = Math.max(schedule.last, now);
    schedule.next = cron.nextRun(new Date(schedule.last))?.getTime() ?? Infinity;
  }
}

/** Returns the ticks after one time and until another for which a job is added. */
function ticksOf({ cron, isOnce, missedAfter }: Schedule, last: number, now: number): number[] {
  // Ticks are whole seconds, and `previousRuns` excludes its argument.
  const missed = Math.floor((now - missedAfter) / 1000) * 1000;
  const [latest] = isOnce && last < missed ? cron.previousRuns(1, new Date(missed + 1000)) : [];
  const ticks = latest !== undefined && latest.getTime() > last ? [latest.getTime()] : [];
  let at = cron.nextRun(new Date(Math.max(last, missed)))?.getTime() ?? Infinity;
  while (at <= now) {
    ticks.push(at);
    const next = cron.nextRun(new Date(at))?.getTime() ?? Infinity;
    if (next <= at) break;
    at = next;
  }
  return ticks;
}

/** The unstable `Deno.cron`. */
type DenoCron = (name: string, schedule: string, options: object, handler: () => Promise<void>) => Promise<void>;

/**
 * Returns an expression for `Deno.cron` that occurs at least as often. `Deno.cron` only knows UTC and five fields, and
 * counts weekdays differently. The store decides whether a tick is due.
 */
function wakeExpression(expression: string, zone: string): string {
  const fields = expression.trim().split(/\s+/);
  if (fields.length !== 5 || !fields.slice(0, 4).every((field) => /^[\d*,/-]+$/.test(field))) return "* * * * *";
  if (zone === "UTC") return [...fields.slice(0, 4), "*"].join(" ");
  // All time zones differ from UTC by a multiple of 15 minutes.
  return fields[0] === "0" ? "*/15 * * * *" : "* * * * *";
}
