/**
 * The state of a request that few requests need.
 *
 * @module
 */

import type { Logger } from "../../base/log/logger.ts";
import type { ViewState } from "./compiled_route.ts";
import type { RequestLanguage } from "./languages.ts";

/**
 * The state that few requests need. It is created on first use, because each further field of an exchange would cost 3
 * to 10 ns in every request.
 */
export interface Extras {
  /** The request ID, if middleware has set it. */
  id?: string;
  logger?: Logger;
  view?: ViewState;
  language?: RequestLanguage | undefined;
  /** The media types the handler can send. Created by the content negotiation module. */
  negotiation?: unknown;
  /** The time in which the call has waited for messages, if it has. */
  waits?: Waits;
  /** Whether the handlers have timed out. */
  isLate?: boolean;
  /** Called if the handlers time out, to stop the calls inside this one. */
  onLate?: (() => void)[];
  /** Whether a call inside has labels that caches distinguish. They are not known when a cache here is asked. */
  isVariedInside?: boolean;
  /** The last failure that was reported. */
  reported?: unknown;
  /** The error that has ended the response body while it was being sent. */
  broken?: Error;
  /** Called with that error. */
  onBroken?: (error: Error) => void;
  /** Whether the log warns of a write that was dropped because the response had already been decided. */
  isWarned?: boolean;
}

/** The time in which a call has waited for messages. */
export interface Waits {
  /** The number of messages that the call is waiting for. */
  open: number;
  /** The start of the current wait, on the `performance.now()` clock. */
  since: number;
  /** The total duration of the waits that have ended, in milliseconds. */
  total: number;
  /** Called when the current wait ends. */
  resumed: (() => void)[];
}

/** A request with such state. */
export interface Extended {
  extras: Extras | undefined;
}

/** Returns the extras of a request. To read one that may not be set, use `extras?.` instead. */
export function extrasOf(extended: Extended): Extras {
  return extended.extras ??= {};
}
