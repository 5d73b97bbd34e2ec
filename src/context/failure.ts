/**
 * What becomes of an error that a handler threw.
 *
 * @module
 */

import { HTTPError } from "../base/errors.ts";
import { toError } from "../base/to_error.ts";
import { adopt, resetBody } from "../response/draft.ts";
import { isResponse } from "../response/platform_response.ts";
import type { Exchange } from "./exchange.ts";
import { observeFailure, reportFailure } from "./report_failure.ts";

/** The status that a thrown error leads to. */
export function failureStatus(error: Error): number {
  return error instanceof HTTPError ? error.Status : 500;
}

/**
 * Turns a thrown value into the response. A `Response` is the response itself. An `HTTPError` is meant for the client;
 * for any other error the client receives only the status, and the error is logged.
 */
export function fail<C>(exchange: Exchange<C>, thrown: unknown): void {
  if (isResponse(thrown)) {
    exchange.chain.stopped = true;
    return adopt(exchange.draft, thrown);
  }
  reportThrown(exchange, noteFailure(exchange, thrown));
}

/** Reports a thrown error, unless it is the client's. */
export function reportThrown<C>(exchange: Exchange<C>, error: Error): void {
  if (!(error instanceof HTTPError)) return reportFailure(exchange, error);
  if (error.Status < 500) return;
  // An error with a code is from fw itself, which has logged its cause: once per outage, not once per request.
  if (error.Code === undefined) reportFailure(exchange, error);
  else observeFailure(exchange, error);
}

/**
 * Notes a thrown value, so that `ctx.GetErr()` and `ctx.GetStatusCode()` say what the client will get, and does not log
 * it: for what catches an error only to pass it on.
 *
 * @returns The error.
 */
function noteFailure<C>(exchange: Exchange<C>, thrown: unknown): Error {
  const error = toError(thrown);
  const { draft } = exchange;
  exchange.error = error;
  exchange.isErrorPublic = error instanceof HTTPError;
  exchange.chain.stopped = exchange.chain.isAbandoned = true;
  // The connection of an upgrade is not HTTP any more: an error page would end the server.
  if (draft.upgrade !== undefined) return error;
  resetBody(draft);
  draft.status = failureStatus(error);
  return error;
}
