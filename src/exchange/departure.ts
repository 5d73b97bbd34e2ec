/**
 * Recognizes errors that only occur because the client has disconnected. They are not failures of the server.
 *
 * @module
 */

import { isConnectionLost } from "../body/source/body_errors.ts";
import type { Exchange } from "./exchange.ts";

/** The status in logs and metrics for a client that has disconnected before the response. No client receives it. */
export const CLIENT_GONE = 499;

/** The maximum number of causes to follow. */
const mostCauses = 5;

/**
 * Reports whether a handler failed because its client has disconnected: with the reason of the call's own signal, with
 * an error that was caused by it, or while it was reading the request body. Any other error is a failure, even if the
 * client has disconnected in the meantime.
 */
export function isDeparture<C>({ connection, request, watch }: Exchange<C>, thrown: unknown): boolean {
  if (!(thrown instanceof Error)) return watch !== undefined && watch.isGone && thrown === watch.signal.reason;
  // The body of a request without a connection is a stream of the program.
  if (isConnectionLost(thrown)) return connection !== undefined;
  const isAbort = hasAbortName(thrown);
  if (watch !== undefined) return watch.isGone && (isAbort || isCausedBy(thrown, watch.signal.reason));
  // Without a watch, the handler has used the signal of the request itself. Only reading it on demand is cheap enough.
  return isAbort && request.signal.aborted;
}

function hasAbortName(error: Error): boolean {
  return error.name === "AbortError";
}

function isCausedBy(error: Error, reason: unknown): boolean {
  let at: unknown = error;
  for (let depth = 0; depth < mostCauses && at instanceof Error; depth++, at = at.cause) {
    if (at === reason) return true;
  }
  return at === reason;
}
