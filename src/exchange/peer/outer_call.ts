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
  /** The public path of the mounted application: that of the outer application, followed by the path of the mount. */
  readonly prefix?: string | undefined;
  /** The base path of the outermost application, which is the default path of cookies. */
  readonly base?: string | undefined;
}
