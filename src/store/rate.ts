/**
 * Rates, by the generic cell rate algorithm: one number per key says all.
 *
 * The number is the time at which the key will be idle again. A request moves it one spacing onwards, and is refused
 * where it would come to lie further ahead than the burst allows. All is counted in whole microseconds: with fractions
 * of milliseconds, rounding refuses the last request of a burst or lets one more through.
 *
 * @module
 */
import { FrameworkError } from "../base/errors.ts";

/** How many requests in which time. */
export interface Rate {
  /** How many requests per period, evenly spread. */
  readonly Limit: number;
  /** The period, in milliseconds. */
  readonly Period: number;
  /** How many may come at once after a pause; as many as `Limit` when left out. */
  readonly Burst?: number;
}

/** Whether a request fits into its rate, and what is left. */
export interface Taken {
  /** True when the request may go on. */
  readonly Allowed: boolean;
  /** How many more may come at once. */
  readonly Remaining: number;
  /** How many milliseconds until the next is allowed; 0 when one is. */
  readonly RetryAfter: number;
  /** How many milliseconds until the whole burst is there again. */
  readonly Reset: number;
}

/** A rate in microseconds. */
export interface Pace {
  /** The time between two requests. */
  readonly spacing: number;
  /** The time that a whole burst fills. */
  readonly capacity: number;
}

/**
 * Turns a rate into a pace.
 *
 * @param rate The rate.
 * @returns The pace, never faster than the rate.
 */
export function paceOf(rate: Rate): Pace {
  const spacing = Math.ceil(rate.Period * 1000 / rate.Limit);
  return { spacing, capacity: spacing * (rate.Burst ?? rate.Limit) };
}

/**
 * Refuses a rate that cannot be kept.
 *
 * @param rate The rate.
 * @returns The same rate.
 */
export function checkRate(rate: Rate): Rate {
  const { Limit, Period, Burst = Limit } = rate;
  const isCount = [Limit, Burst].every((count) => Number.isSafeInteger(count) && count > 0);
  if (!isCount || !(Period > 0) || Period * 1000 < Limit || paceOf(rate).capacity > 1e15) {
    throw new FrameworkError(
      "FW_CONFIG",
      `Cannot limit requests to "${Limit}" per "${Period}" ms with a burst of "${Burst}": counts are whole numbers ` +
        "from 1 up, at most 1000 per millisecond, and a burst refills within 30 years",
    );
  }
  return rate;
}

/**
 * The time until a key is idle, in microseconds: never more than a burst. A clock that was set back, or a burst that
 * was larger before a restart, would otherwise lock the key for as long as the difference.
 */
export function backlogOf(pace: Pace, idleAt: number, now: number): number {
  return Math.min(Math.max(idleAt - now, 0), pace.capacity);
}

/**
 * Reports whether a key is idle later than its rate can cause. Such a time must be stored anew when a request is
 * refused: the backlog would otherwise be a whole burst until that time has come.
 */
export function isBeyond(pace: Pace, idleAt: number, now: number): boolean {
  return idleAt - now > pace.capacity;
}

/** Says whether one more request fits on top of a backlog. */
export function fits(pace: Pace, backlog: number): boolean {
  return backlog + pace.spacing <= pace.capacity;
}

/** What a caller is told: `backlog` is the one after the request, if it was allowed. */
export function takenOf(pace: Pace, isAllowed: boolean, backlog: number): Taken {
  return {
    Allowed: isAllowed,
    Remaining: Math.floor((pace.capacity - backlog) / pace.spacing),
    RetryAfter: isAllowed ? 0 : Math.ceil((backlog + pace.spacing - pace.capacity) / 1000),
    Reset: Math.ceil(backlog / 1000),
  };
}
