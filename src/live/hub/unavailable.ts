/**
 * Failures of a backplane.
 *
 * @module
 */

import { isCount, isString } from "../../base/async/callback.ts";
import { HTTPError } from "../../base/errors/errors.ts";
import { boundedCalls, hasMember, type Test } from "../../state/store/bounded_calls.ts";
import type { Awaitable } from "../../state/store/store.ts";
import type { Backplane } from "./backplane.ts";

/**
 * Returns the result of a backplane. If the backplane cannot be reached, the request or event fails with 503.
 *
 * @param call Calls the backplane.
 * @param message The message for clients.
 * @param report Called with the cause.
 */
export async function available<T>(
  call: () => Awaitable<T>,
  message: string,
  report: (cause: unknown) => void,
): Promise<T> {
  try {
    return await call();
  } catch (cause) {
    report(cause);
    throw new HTTPError(503, message, { cause, Code: "FW_LIVE" });
  }
}

/** The time limit for a call, in milliseconds. */
const longestCall = 5_000;

const bounded = new WeakSet<Backplane>();

/** Marks one of fw's own backplanes, which limit their calls themselves. */
export function markBounded(backplane: Backplane): Backplane {
  bounded.add(backplane);
  return backplane;
}

/** The results of methods whose result is used. */
const results: Readonly<Record<string, Test>> = {
  Publish: isPosition,
  Read: (value) => isPosition(value) && hasMember(value, "Entries", Array.isArray),
  Rows: (value) => value instanceof Map,
  Claim: (value) => value === null || isString(value),
};

/**
 * Limits the time of all asynchronous calls to a backplane, and checks what they return.
 *
 * @param backplane The backplane.
 */
export function boundedBackplane(backplane: Backplane): Backplane {
  if (bounded.has(backplane)) return backplane;
  return boundedCalls(backplane, { name: "the backplane", limit: longestCall, results });
}

function isPosition(value: unknown): boolean {
  return hasMember(value, "Epoch", isString) && hasMember(value, "Offset", isCount);
}
