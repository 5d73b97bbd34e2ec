/**
 * Limits the time that handlers may take.
 *
 * @module
 */

import { HTTPError } from "../../errors/errors.ts";
import { type Exchange, expireCall } from "../../exchange/exchange.ts";
import { loggerOf } from "../../exchange/request_logger.ts";
import { rawPath } from "../../http/request_url.ts";

/** A platform timer. */
type Timer = ReturnType<typeof setTimeout>;

/**
 * Starts the timeout of a request whose handlers are running.
 *
 * @param exchange The request.
 * @param expire Called with the error for the request if the timeout expires.
 * @returns The timer, or `undefined` if no timeout is configured.
 */
export function startClock<C>(exchange: Exchange<C>, expire: (error: HTTPError) => void): Timer | undefined {
  const { method, place, runtime: { config: { HandlerTimeout } } } = exchange;
  if (HandlerTimeout <= 0) return undefined;
  return setTimeout(() => {
    loggerOf(exchange).Warn(`Cannot finish ${method} ${rawPath(place)} within ${HandlerTimeout} ms`);
    expire(new HTTPError(503, "", { Code: "FW_TIMEOUT" }));
    expireCall(exchange);
  }, HandlerTimeout);
}
