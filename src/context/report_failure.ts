/**
 * Failures of requests: one place logs them and hands them to the observers of `app.OnError`.
 *
 * @module
 */

import { markReported } from "../base/reported_errors.ts";
import { toError } from "../base/to_error.ts";
import { type PathPlace, rawPath } from "../http/request_url.ts";
import { type LoggedRequest, loggerOf } from "./request_logger.ts";

/** What is reported of a request that failed. */
export interface FailedRequest extends LoggedRequest {
  readonly context: unknown;
  readonly method: string;
  readonly place: PathPlace;
  /** The last failure that was reported. */
  reported: unknown;
}

/**
 * Reports a failure of a request, before or after its response was sent. The log line carries the request's id, route
 * and fields. An error that passes through several places is reported once per request.
 *
 * @param exchange The request.
 * @param thrown The error.
 * @param act The log message, without its colon. Defaults to "Cannot serve METHOD PATH".
 */
export function reportFailure(exchange: FailedRequest, thrown: unknown, act?: string): void {
  if (exchange.reported === thrown && thrown !== undefined) return;
  const { method, place } = exchange;
  const error = toError(thrown);
  loggerOf(exchange).Error(`${act ?? `Cannot serve ${method} ${rawPath(place)}`}:`, error);
  // A body that breaks off reaches the server too, which does not know the request.
  markReported(error);
  observeFailure(exchange, thrown);
}

/** Hands a failure that was logged elsewhere, such as a store that is down, to the observers only. */
export function observeFailure(exchange: FailedRequest, thrown: unknown): void {
  if (exchange.reported === thrown && thrown !== undefined) return;
  exchange.reported = thrown;
  exchange.runtime.onError?.(exchange.context, toError(thrown));
}
