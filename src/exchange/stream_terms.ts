/**
 * The parts of a request that streamed responses need.
 *
 * @module
 */

import { rawPath } from "../http/request_url.ts";
import type { EventsTerms } from "../response/server_events.ts";
import type { StreamTerms } from "../response/stream.ts";
import type { Exchange } from "./exchange.ts";
import { reportFailure } from "./report_failure.ts";

/** Returns the terms of a streamed response. */
export function streamTerms<C>(exchange: Exchange<C>): StreamTerms {
  const { method, place, request, runtime } = exchange;
  // An observer may read the headers after the response was sent. Deno keeps them only if they were read before.
  if (runtime.onError !== undefined) void request.headers;
  return {
    cutOff: runtime.cutOff.signal,
    failed: (error) => reportFailure(exchange, error, `Cannot finish the response to ${method} ${rawPath(place)}`),
  };
}

/** Returns the terms of an event stream. */
export function eventsTerms<C>(exchange: Exchange<C>): EventsTerms {
  const { request, runtime } = exchange;
  return {
    ...streamTerms(exchange),
    lastID: request.headers.get("last-event-id"),
    leaving: runtime.leaving.signal,
  };
}
