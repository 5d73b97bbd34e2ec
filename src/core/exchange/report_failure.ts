/**
 * Reports failed requests: logs them and notifies the `app.OnError` observers.
 *
 * @module
 */

import { markReported } from "../../base/errors/reported_errors.ts";
import { toError } from "../../base/errors/to_error.ts";
import { type PathPlace, rawPath } from "../../http/headers/request_url.ts";
import { extrasOf } from "./extras.ts";
import { type LoggedRequest, loggerOf } from "./request_logger.ts";

/** The properties of a failed request to report. */
export interface FailedRequest extends LoggedRequest {
  readonly context: unknown;
  readonly method: string;
  readonly place: PathPlace;
}

/**
 * Reports a failure of a request, before or after its response was sent. The log line includes the request's ID, route
 * and fields. An error that passes through several places is reported once per request.
 *
 * @param exchange The request.
 * @param thrown The error.
 * @param act The log message, without its colon. Defaults to "Cannot serve METHOD PATH".
 */
export function reportFailure(exchange: FailedRequest, thrown: unknown, act?: string): void {
  if (thrown !== undefined && exchange.extras?.reported === thrown) return;
  const { method, place } = exchange;
  const error = toError(thrown);
  loggerOf(exchange).Error(`${act ?? `Cannot serve ${method} ${rawPath(place)}`}:`, error);
  // If a response body fails while it is being sent, the server also receives the error, but without the request.
  markReported(error);
  observeFailure(exchange, thrown);
}

/** Notifies only the observers. Used for failures that were logged elsewhere, such as a store that is down. */
export function observeFailure(exchange: FailedRequest, thrown: unknown): void {
  if (thrown !== undefined && exchange.extras?.reported === thrown) return;
  // If the error also reaches the application around a mounted one, it is not a second failure.
  for (let at: FailedRequest | undefined = exchange; at !== undefined;) {
    extrasOf(at).reported = thrown;
    at = at.target.outer?.exchange as FailedRequest | undefined;
  }
  exchange.runtime.onError?.(exchange.context, toError(thrown));
}
