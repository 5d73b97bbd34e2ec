/**
 * Creates the callbacks and settings that a streamed response needs from its request.
 *
 * @module
 */

import { hold } from "../response/draft.ts";
import type { EventsTerms } from "../response/server_events.ts";
import type { StreamTerms } from "../response/stream.ts";
import type { Exchange } from "./exchange.ts";
import { breakOff } from "./broken_body.ts";
import { leavingSignal } from "./peer/stopping_app.ts";

/** Returns the settings for a streamed response. */
export function streamTerms<C>(exchange: Exchange<C>): StreamTerms {
  const { request, runtime } = exchange;
  // An observer may read the headers after the response has been sent. Deno only keeps them if they have been read
  // before.
  if (runtime.onError !== undefined) void request.headers;
  return {
    cutOff: runtime.cutOff.signal,
    failed: (error) => breakOff(exchange, error),
    hold: (promise) => hold(exchange.draft, promise),
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
