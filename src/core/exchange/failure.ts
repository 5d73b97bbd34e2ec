/**
 * Turns errors thrown by handlers into responses.
 *
 * @module
 */

import { HTTPError } from "../../base/errors/errors.ts";
import { toError } from "../../base/errors/to_error.ts";
import { isConnectionLost } from "../../http/body/source/body_errors.ts";
import { adopt, resetBody, setHeader } from "../../http/response/draft.ts";
import { isResponse } from "../../http/response/platform_response.ts";
import { abandon } from "./chain/chain.ts";
import type { Exchange } from "./exchange.ts";
import { observeFailure, reportFailure } from "./report_failure.ts";

/** The status in logs and metrics for a client that has disconnected before the response. No client receives it. */
const CLIENT_GONE = 499;

/** The headers that let caches store a response, as a name and a value. */
const lifetime = /^(cache-control,.*(public|max-?age="?0*[1-9])|expires,.*\d{4})/i;

/** The maximum number of causes to follow. */
const mostCauses = 5;

/**
 * Reports whether a handler failed because its client has disconnected: with the reason of the call's own signal, with
 * an error that was caused by it, or while it was reading the request body. Any other error is a failure, even if the
 * client has disconnected in the meantime.
 */
export function isDeparture<C>({ connection, request, route, watch }: Exchange<C>, thrown: unknown): boolean {
  const isGone = watch !== undefined && watch.isGone;
  let at: unknown = thrown;
  for (let depth = 0; depth < mostCauses; depth++) {
    if (isGone && at === watch.signal.reason) return true;
    if (!(at instanceof Error)) return false;
    // The body of a request without a connection is a stream of the program.
    if (isConnectionLost(at)) return connection !== undefined;
    if (at.name === "AbortError") {
      // A signal that is read for the first time is not aborted yet, and Deno would print a line about its use.
      const mayBeRead = watch === undefined && (connection === undefined || route.isHandedOut);
      return isGone || (mayBeRead && request.signal.aborted);
    }
    at = at.cause;
  }
  return false;
}

/** Returns the status code for a thrown error. */
export function failureStatus<C>(exchange: Exchange<C>, error: unknown): number {
  if (isDeparture(exchange, error)) return CLIENT_GONE;
  return error instanceof HTTPError ? error.Status : 500;
}

/**
 * Turns a thrown value into the response. A `Response` is sent as is, and the message of an `HTTPError` is sent to the
 * client. For any other error, the client receives only the status code, and the error is logged. `ctx.GetErr()` and
 * `ctx.GetStatusCode()` return what the client will receive.
 */
export function fail<C>(exchange: Exchange<C>, thrown: unknown): void {
  if (isResponse(thrown)) {
    exchange.chain.stopped = true;
    return adopt(exchange.draft, thrown);
  }
  if (isDeparture(exchange, thrown)) return leave(exchange);
  const error = toError(thrown);
  const { draft } = exchange;
  exchange.error = error;
  exchange.isErrorPublic = error instanceof HTTPError;
  abandon(exchange.chain, -1);
  // After an upgrade, the connection no longer uses HTTP, and writing an error page would crash the server.
  if (draft.upgrade !== undefined) return reportThrown(exchange, error);
  resetBody(draft);
  // Caches would store the error for as long as the page that could not be written.
  draft.headers = draft.headers?.filter((pair) => !lifetime.test(String(pair)));
  draft.status = error instanceof HTTPError ? error.Status : 500;
  if (error instanceof HTTPError && error.RetryAfter !== undefined) {
    setHeader(draft, "retry-after", String(Math.ceil(error.RetryAfter / 1000)));
  }
  reportThrown(exchange, error);
}

/** Ends a request whose client has disconnected. The status is only for logs and metrics. */
export function leave<C>({ chain, draft }: Exchange<C>): void {
  abandon(chain, -1);
  if (draft.upgrade !== undefined) return;
  resetBody(draft);
  draft.status = CLIENT_GONE;
  // An error page would have no reader.
  draft.body = "";
}

/** Reports a thrown error, unless the client caused it. */
export function reportThrown<C>(exchange: Exchange<C>, error: Error): void {
  if (isDeparture(exchange, error)) return;
  if (!(error instanceof HTTPError)) return reportFailure(exchange, error);
  if (error.Status < 500) return;
  // An error with a code comes from fw itself, which has already logged the cause once per outage rather than once per
  // request.
  if (error.Code === undefined) reportFailure(exchange, error);
  else observeFailure(exchange, error);
}
