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
  const isGone = watch !== undefined && watch.isGone;
  let at: unknown = thrown;
  for (let depth = 0; depth < mostCauses; depth++) {
    if (isGone && at === watch.signal.reason) return true;
    if (!(at instanceof Error)) return false;
    // The body of a request without a connection is a stream of the program.
    if (isConnectionLost(at)) return connection !== undefined;
    if (at.name === "AbortError") return isGone || (watch === undefined && request.signal.aborted);
    at = at.cause;
  }
  return false;
}
