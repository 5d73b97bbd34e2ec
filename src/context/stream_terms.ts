/**
 * What streams need of the request that they respond to.
 *
 * @module
 */

import { rawPath } from "../http/request_url.ts";
import type { EventsTerms } from "../response/server_events.ts";
import type { StreamTerms } from "../response/stream.ts";
import type { Exchange } from "./exchange.ts";
import { reportFailure } from "./report_failure.ts";

/** The terms of a stream. */
export function streamTerms<C>(exchange: Exchange<C>): StreamTerms {
  const { method, place, request, runtime } = exchange;
  // An observer may read the headers when the response has left; Deno keeps them only if they were read before.
  if (runtime.onError !== undefined) void request.headers;
  return {
    cutOff: runtime.cutOff.signal,
    failed: (error) => reportFailure(exchange, error, `Cannot finish the response to ${method} ${rawPath(place)}`),
  };
}

/** The terms of a stream of events. */
export function eventsTerms<C>(exchange: Exchange<C>): EventsTerms {
  const { request, runtime } = exchange;
  return {
    ...streamTerms(exchange),
    lastID: request.headers.get("last-event-id"),
    leaving: runtime.leaving.signal,
  };
}
