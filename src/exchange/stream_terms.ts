/**
 * Creates the callbacks and settings that a streamed response needs from its request.
 *
 * @module
 */

import { rawPath } from "../http/request_url.ts";
import type { EventsTerms } from "../response/server_events.ts";
import type { StreamTerms } from "../response/stream.ts";
import type { Exchange } from "./exchange.ts";
import { reportFailure } from "./report_failure.ts";
import { leavingSignal } from "./peer/stopping_app.ts";

/** Returns the settings for a streamed response. */
export function streamTerms<C>(exchange: Exchange<C>): StreamTerms {
  const { method, place, request, runtime } = exchange;
  // An observer may read the headers after the response has been sent. Deno only keeps them if they have been read
  // before.
  if (runtime.onError !== undefined) void request.headers;
  return {
    cutOff: runtime.cutOff.signal,
    failed: (error) => reportFailure(exchange, error, `Cannot finish the response to ${method} ${rawPath(place)}`),
  };
}

/** Returns the settings for an event stream. */
export function eventsTerms<C>(exchange: Exchange<C>): EventsTerms {
  return {
    ...streamTerms(exchange),
    lastID: exchange.request.headers.get("last-event-id"),
    leaving: leavingSignal(exchange),
  };
}
