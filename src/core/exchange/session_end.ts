/**
 * Ends the streams and connections of a call when its session ends.
 *
 * @module
 */

import type { Exchange } from "./exchange.ts";

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
