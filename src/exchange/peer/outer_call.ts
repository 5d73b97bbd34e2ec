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
  /** The route that the call was offered for. If it is set, no other route of its application serves the request. */
  readonly route?: BoundRoute | undefined;
}

/** The route that a call is bound to. */
export interface BoundRoute {
  /** The runtime of the route's application. Applications that the route mounts are not bound. */
  readonly app: object;
  /** The registered route. */
  readonly info: object;
  /** The language prefix of the path where the call entered. The path of the request itself has none. */
  readonly language: string;
  /** The call, if the route can talk to its caller. Its type is only known to the module that made the call. */
  readonly call?: object | undefined;
  /** Whether the request did not lead to the route. No handler has run in this case. */
  isMissed: boolean;
}
