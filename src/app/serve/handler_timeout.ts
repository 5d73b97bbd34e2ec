/**
 * The time that handlers may take.
 *
 * @module
 */

import { HTTPError } from "../../base/errors.ts";
import { type Exchange, loggerOf } from "../../context/exchange.ts";
import { reportFailure } from "../../context/report_failure.ts";
import { rawPath } from "../../http/request_url.ts";

/**
 * Waits for the handlers of a request, but no longer than the configuration allows: then it fails with status 503.
 *
 * @param exchange The request.
 * @param rest The handlers at work.
 * @returns What they resolve to.
 */
export async function withinTime<C>(exchange: Exchange<C>, rest: Promise<unknown>): Promise<unknown> {
  const { runtime, method, place } = exchange;
  const limit = runtime.config.HandlerTimeout;
  const expired = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    // First, so that a handler that ends at the signal does not win over the time that it has exceeded.
    expired.reject(new HTTPError(503, "", { Code: "FW_TIMEOUT" }));
    exchange.watch?.expire();
    const act = `Cannot finish ${method} ${rawPath(place)} within ${limit} ms`;
    loggerOf(exchange).Warn(act);
    // The client has its response by then; an error is still worth a line.
    rest.catch((error) => reportFailure(exchange, error, `${act}, nor later`));
  }, limit);
  try {
    return await Promise.race([rest, expired.promise]);
  } finally {
    clearTimeout(timer);
  }
}
