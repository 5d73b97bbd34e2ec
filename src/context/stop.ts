/**
 * Ending a chain with a response.
 *
 * @module
 */

import { type Draft, setStatus } from "../response/draft.ts";
import { redirect } from "../response/redirect.ts";
import { type Exchange, setPublicError } from "./exchange.ts";

/** What ending a chain touches of a request. */
export interface Stoppable {
  readonly draft: Draft;
  readonly chain: { stopped: boolean };
}

/**
 * Stops the chain and sets the status.
 *
 * @returns The draft, to write the response with.
 */
export function stopWith(request: Stoppable, status: number): Draft {
  request.chain.stopped = true;
  setStatus(request.draft, status);
  return request.draft;
}

/** Stops the chain with a status and an error whose message the client may see. */
export function stopWithError<C>(exchange: Exchange<C>, status: number, error: Error): void {
  stopWith(exchange, status);
  setPublicError(exchange, error);
}

/** Stops the chain with a redirect. */
export function stopWithRedirect(request: Stoppable, url: string, status: number): void {
  redirect(request.draft, url, status);
  request.chain.stopped = true;
}
