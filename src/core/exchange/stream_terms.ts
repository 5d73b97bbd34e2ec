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
import { leavingSignal, type StoppingApp, stoppingApps } from "./peer/outer_call.ts";
import { reportFailure } from "./report_failure.ts";

/** Returns the settings for a streamed response. */
export function streamTerms<C>(exchange: Exchange<C>): StreamTerms {
  const { request, runtime } = exchange;
  // An observer may read the headers after the response has been sent. Deno only keeps them if they have been read
  // before.
  if (runtime.onError !== undefined) void request.headers;
  return {
    failed: (error) => breakOff(exchange, error),
    hold: (promise) => hold(exchange.draft, promise),
    cutOff: leavingSignal(exchange.target, "cutOff"),
  };
}

/** Returns the settings for an event stream. */
export function eventsTerms<C>(exchange: Exchange<C>): EventsTerms {
  return {
    ...streamTerms(exchange),
    lastID: exchange.request.headers.get("last-event-id"),
    ...streamEnd(exchange),
  };
}

/** The reason of a stream that ends with its session. */
const sessionEnded = "The session has ended";

/** The signal that ends a stream, and a function to call when the stream is closed. */
export interface StreamEnd {
  readonly leaving: AbortSignal;
  closed?(): void;
}

/** Returns the signal that ends a stream when its application shuts down or its session ends. */
export function streamEnd<C>(exchange: Exchange<C>): StreamEnd {
  const leaving = leavingSignal(exchange.target);
  if (sessionWatch.current === undefined) return { leaving };
  const ended = new AbortController();
  const closed = whenSessionEnds(exchange, () => ended.abort(sessionEnded));
  return { leaving: AbortSignal.any([leaving, ended.signal]), closed };
}

/**
 * Reports a body that has failed. The client has already received the status, so that only logs, metrics and traces can
 * show the failure. A body that ends because the client has disconnected, or because of a shutdown, has not failed.
 */
export function breakOff<C>(exchange: Exchange<C>, error: unknown): void {
  const { method, place, target, watch } = exchange;
  if (error === sessionEnded || stoppingApps(target).some((app) => isStopped(app, error))) return;
  if (watch !== undefined && isDeparture(exchange, error)) return;
  const extras = extrasOf(exchange);
  if (extras.broken === undefined) {
    extras.broken = toError(error);
    extras.onBroken?.(extras.broken);
  }
  reportFailure(exchange, error, `Cannot finish the response to ${method} ${rawPath(place)}`);
}

function isStopped({ leaving, cutOff }: StoppingApp, error: unknown): boolean {
  return error === leaving.signal.reason || error === cutOff.signal.reason;
}

/** The reason for the end: the session was ended, or its client got another session ID. */
export type SessionEnd = "ended" | "renamed";

/**
 * Registers a callback for the end of the sessions that a call has loaded. Returns a function that removes it, or
 * `undefined` if there are no sessions.
 */
export type SessionWatch = (exchange: Exchange<never>, ended: (reason: SessionEnd) => void) => (() => void) | undefined;

/** The watch, which is known when the session code has been loaded. */
export const sessionWatch: { current: SessionWatch | undefined } = { current: undefined };

/**
 * Registers a callback for the end of the session that a call belongs to, if it has one. It is called at most once.
 *
 * @returns A function to call when the callback is not needed anymore.
 */
export function whenSessionEnds<C>(exchange: Exchange<C>, ended: (reason: SessionEnd) => void): () => void {
  return sessionWatch.current?.(exchange as unknown as Exchange<never>, ended) ?? ignore;
}

function ignore(): void {}
