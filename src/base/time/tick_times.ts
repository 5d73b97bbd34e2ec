/**
 * The ticks of a cron expression in a time zone.
 *
 * @module
 */

import { loadModule } from "../async/lazy_module.ts";

/**
 * Reads a cron expression.
 *
 * @param expression The expression.
 * @param zone The time zone.
 * @returns Its ticks. Rejects if the expression or the time zone is not valid.
 */
export async function timesOf(expression: string, zone: string): Promise<TickTimes> {
  const { Cron } = await loadModule(() => import("npm:croner@^10"));
  const cron = new Cron(expression, { utcOffset: 0, paused: true });
  new Intl.DateTimeFormat("en", { timeZone: zone }); // its error names the time zone
  return new TickTimes((after) => cron.nextRun(after), zone);
}

/**
 * The ticks of a cron expression. The expression gives local times, and each local time is one instant: a time that is
 * skipped is moved forward by the skipped interval, and a time that occurs twice is used the first time. So a tick does
 * not depend on the time at which a process asks for it.
 */
export class TickTimes {
  readonly #nextRun: (after: Date) => Date | null;
  readonly #zone: string;
  /** A period in which the local time differs from UTC by the same offset, and the offset before the period. */
  #period = { begin: 0, end: 0, offset: 0, before: 0 };

  /**
   * Creates the ticks of an expression.
   *
   * @param nextRun Returns the first tick after a time, if the expression gives times in UTC.
   * @param zone The time zone.
   */
  constructor(nextRun: (after: Date) => Date | null, zone: string) {
    this.#nextRun = nextRun;
    this.#zone = zone;
  }

  /** Returns the first tick after a time, or infinity. */
  next(after: number): number {
    for (let from = after;;) {
      const { begin, end, offset, before } = this.#periodAt(from);
      // A local time that occurs again is ignored, and one that was skipped is shown by a clock that was not changed.
      const regular = this.#local(Math.max(from + offset, begin + before - 1)) - offset;
      const skipped = offset > before ? this.#local(from + before) : Infinity;
      const at = Math.min(regular, skipped < begin + offset ? skipped - before : Infinity);
      if (at < end || at === Infinity) return at;
      // No local time that matches is earlier, and clocks differ by less than two days.
      from = Math.max(end - 1, this.#local(from + offset) - offset - 2 * 86_400_000);
    }
  }

  /** Returns the last tick after a time and until another, or `undefined`. */
  last(after: number, until: number): number | undefined {
    for (let span = 1_000;; span *= 2) {
      const begin = Math.max(after, until - span);
      let last: number | undefined;
      for (let at = this.next(begin); at <= until; at = this.next(at)) last = at;
      if (last !== undefined || begin === after) return last;
    }
  }

  /** Returns the first local time after another that matches the expression, both as if they were in UTC. */
  #local(after: number): number {
    return this.#nextRun(new Date(after))?.getTime() ?? Infinity;
  }

  /** Returns the period of the first millisecond after a time, because ticks are later than that. */
  #periodAt(from: number) {
    const at = from + 1;
    if (at >= this.#period.begin && at < this.#period.end) return this.#period;
    const time = Temporal.Instant.fromEpochMilliseconds(Math.floor(at)).toZonedDateTimeISO(this.#zone);
    const begin = time.add({ nanoseconds: 1 }).getTimeZoneTransition("previous");
    const offset = time.offsetNanoseconds / 1e6;
    return this.#period = {
      begin: begin?.epochMilliseconds ?? -Infinity,
      end: time.getTimeZoneTransition("next")?.epochMilliseconds ?? Infinity,
      offset,
      before: (begin?.subtract({ nanoseconds: 1 }) ?? time).offsetNanoseconds / 1e6,
    };
  }
}

/**
 * Returns an expression for `Deno.cron` that occurs at least as often. `Deno.cron` only knows UTC and five fields, and
 * counts weekdays differently. So the caller decides whether a tick is due.
 */
export function wakeExpression(expression: string, zone: string): string {
  const fields = expression.trim().split(/\s+/);
  if (fields.length !== 5 || !fields.slice(0, 4).every((field) => /^[\d*,/-]+$/.test(field))) return "* * * * *";
  if (zone === "UTC") return [...fields.slice(0, 4), "*"].join(" ");
  // All time zones differ from UTC by a multiple of 15 minutes.
  return fields[0] === "0" ? "*/15 * * * *" : "* * * * *";
}
