/**
 * Rate limiting with the generic cell rate algorithm, which needs only one number per key.
 *
 * The number is the time at which the key will be idle again. Each request advances it by one interval and is refused
 * if that exceeds the burst. All times are whole microseconds. With fractions of milliseconds, rounding errors would
 * refuse the last request of a burst or allow one too many.
 *
 * @module
 */
import { FrameworkError } from "../../base/errors/errors.ts";

/** A rate limit. */
export interface Rate {
  /** The number of requests per period. */
  readonly Limit: number;
  /** The period, in milliseconds. */
  readonly Period: number;
  /** The number of requests allowed in a burst after a pause. If omitted, it equals `Limit`. */
  readonly Burst?: number;
}

/** The result of a rate limit check. */
export interface Taken {
  /** Whether the request is allowed. */
  readonly Allowed: boolean;
  /** The number of further requests that are currently allowed. */
  readonly Remaining: number;
  /** The time until the next request is allowed, in milliseconds. `0` if the request is allowed. */
  readonly RetryAfter: number;
  /** The time until the full burst is available again, in milliseconds. */
  readonly Reset: number;
}

/** A rate in microseconds. */
export interface Pace {
  /** The interval between two requests. */
  readonly spacing: number;
  /** The duration of a full burst. */
  readonly capacity: number;
}

/**
 * Converts a rate to a pace.
 *
 * @param rate The rate.
 * @returns The pace, which is never faster than the rate.
 */
export function paceOf(rate: Rate): Pace {
  const spacing = Math.ceil(rate.Period * 1000 / rate.Limit);
  return { spacing, capacity: spacing * (rate.Burst ?? rate.Limit) };
}

/**
 * Validates a rate.
 *
 * @param rate The rate.
 * @returns The same rate.
 * @throws {FrameworkError} If the rate is invalid.
 */
export function checkRate(rate: Rate): Rate {
  const { Limit, Period, Burst = Limit } = rate;
  const isCount = [Limit, Burst].every((count) => Number.isSafeInteger(count) && count > 0);
  if (!isCount || !(Period > 0) || Period * 1000 < Limit || paceOf(rate).capacity > 1e15) {
    throw new FrameworkError(
      "FW_CONFIG",
      `Cannot limit requests to "${Limit}" per "${Period}" ms with a burst of "${Burst}": use positive integers, at ` +
        "most 1000 requests per millisecond, and a burst that refills within 30 years",
    );
  }
  return rate;
}

/**
 * Returns the time until a key is idle, in microseconds, limited to a full burst. Without that limit, a clock that was
 * set back, or a larger burst before a restart, could block the key for a long time.
 */
export function backlogOf(pace: Pace, idleAt: number, now: number): number {
  return Math.min(Math.max(idleAt - now, 0), pace.capacity);
}

/**
 * Reports whether the stored time is later than the rate allows. Such a time must be overwritten even if the request is
 * refused. Otherwise, the backlog would remain at a full burst until then.
 */
export function isBeyond(pace: Pace, idleAt: number, now: number): boolean {
  return idleAt - now > pace.capacity;
}

/** Reports whether another request can be added to a backlog. */
export function fits(pace: Pace, backlog: number): boolean {
  return backlog + pace.spacing <= pace.capacity;
}

/** Returns the result of a check. If the request is allowed, `backlog` includes it. */
export function takenOf(pace: Pace, isAllowed: boolean, backlog: number): Taken {
  return {
    Allowed: isAllowed,
    Remaining: Math.floor((pace.capacity - backlog) / pace.spacing),
    RetryAfter: isAllowed ? 0 : Math.ceil((backlog + pace.spacing - pace.capacity) / 1000),
    Reset: Math.ceil(backlog / 1000),
  };
}
