/**
 * The record that a call passes on with a request that it makes inside the process.
 *
 * @module
 */

import type { StoppingApp } from "./stopping_app.ts";

/**
 * The facts about a call that are decided where the call enters. Mounted applications, tool calls and cache renewals
 * pass them on with the request, so that the application that serves it does not decide them again.
 */
export interface OuterCall {
  /** The applications whose shutdown also ends the streams and connections of the request, innermost first. */
  readonly apps?: readonly StoppingApp[] | undefined;
  /** The request ID of the call. */
  readonly requestID?: string | undefined;
  /**
   * Whether the request renews a cached response in the background. Guards run for it, but no client waits for it, so
   * that limits, access logs, metrics and traces do not count it.
   */
  readonly isRenewal?: boolean | undefined;
}

/** Reports whether a request renews a cached response in the background. */
export function isRenewal({ connection }: { readonly connection: PassedOn | undefined }): boolean {
  return connection?.outer?.isRenewal === true;
}

/** A connection that may pass on a call. */
interface PassedOn {
  readonly outer?: OuterCall | undefined;
}
