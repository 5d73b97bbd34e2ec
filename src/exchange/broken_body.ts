/**
 * Records that a response body has failed while it was being sent.
 *
 * @module
 */

import { markReported } from "../errors/reported_errors.ts";
import { toError } from "../errors/to_error.ts";
import { rawPath } from "../http/request_url.ts";
import { isDeparture } from "./departure.ts";
import type { Exchange } from "./exchange.ts";
import { leavingSignal } from "./peer/stopping_app.ts";
import { reportFailure } from "./report_failure.ts";

/**
 * Reports a body that has failed. The client has already received the status, so that only logs, metrics and traces can
 * show the failure. A body that ends because the client has disconnected, or because of a shutdown, has not failed.
 */
export function breakOff<C>(exchange: Exchange<C>, error: unknown): void {
  const { method, place, runtime: { cutOff }, watch } = exchange;
  // The server receives the error as well, and must not log it.
  if (error instanceof Error && error === leavingSignal(exchange).reason) return markReported(error);
  if (error === cutOff.signal.reason || (watch !== undefined && isDeparture(exchange, error))) return;
  if (exchange.broken === undefined) {
    exchange.broken = toError(error);
    exchange.onBroken?.(exchange.broken);
  }
  reportFailure(exchange, error, `Cannot finish the response to ${method} ${rawPath(place)}`);
}
