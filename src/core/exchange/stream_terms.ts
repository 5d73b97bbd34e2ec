/**
 * Creates the callbacks and settings that a streamed response needs from its request.
 *
 * @module
 */

import { toError } from "../../base/errors/to_error.ts";
import { rawPath } from "../../http/headers/request_url.ts";
import { hold } from "../../http/response/draft.ts";
import type { EventsTerms } from "../../http/response/server_events.ts";
import type { StreamTerms } from "../../http/response/stream.ts";
import type { Exchange } from "./exchange.ts";
import { extrasOf } from "./extras.ts";
import { isDeparture } from "./failure.ts";
import { leavingSignal } from "./peer/outer_call.ts";
import { reportFailure } from "./report_failure.ts";

/** Returns the settings for a streamed response. */
export function streamTerms<C>(exchange: Exchange<C>): StreamTerms {
  const { request, runtime } = exchange;
  // An observer may read the headers after the response has been sent. Deno only keeps them if they have been read
  // before.
  if (runtime.onError !== undefined) void request.headers;
  return {
    cutOff: leavingSignal(exchange, "cutOff"),
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

/**
 * Reports a body that has failed. The client has already received the status, so that only logs, metrics and traces can
 * show the failure. A body that ends because the client has disconnected, or because of a shutdown, has not failed.
 */
export function breakOff<C>(exchange: Exchange<C>, error: unknown): void {
  const { method, place, watch } = exchange;
  if (error === leavingSignal(exchange).reason || error === leavingSignal(exchange, "cutOff").reason) return;
  if (watch !== undefined && isDeparture(exchange, error)) return;
  const extras = extrasOf(exchange);
  if (extras.broken === undefined) {
    extras.broken = toError(error);
    extras.onBroken?.(extras.broken);
  }
  reportFailure(exchange, error, `Cannot finish the response to ${method} ${rawPath(place)}`);
}
