/**
 * Sends requests again.
 *
 * @module
 */

import type { RetryStrategy } from "./options.ts";

/** Options for {@linkcode Retry}. */
export interface RetryOptions {
  /** How often a request is sent again at most. */
  readonly Times: number;
  /**
   * The time to wait before the first retry, in milliseconds; it doubles each time. A `Retry-After` header of the
   * response takes precedence.
   *
   * @default {200}
   */
  readonly Delay?: number;
  /**
   * The statuses that are retried. A request without a response is always retried.
   *
   * @default {[408, 429, 502, 503, 504]}
   */
  readonly Statuses?: readonly number[];
  /**
   * Retries POST and PATCH too, which may then take effect twice.
   *
   * @default {false}
   */
  readonly AnyMethod?: boolean;
}

/** Methods that may take effect twice without harm. */
const idempotent = /^(?:GET|HEAD|PUT|DELETE|OPTIONS|TRACE)$/;

/**
 * Creates a strategy for the option `Retry` of a client or a call.
 *
 * @example A client that tries three times
 * ```ts
 * import * as client from "@fw/web/client";
 *
 * class TeaController {
 *   Get() {
 *     return ["Assam"];
 *   }
 * }
 * let sent = 0;
 * const teas = client.New<TeaController>("http://localhost/teas", {
 *   Fetch: () => ++sent < 3 ? new Response(null, { status: 503 }) : Response.json(["Assam"]),
 *   Retry: client.Retry({ Times: 2, Delay: 1 }),
 * });
 * await teas.Get(); // → [["Assam"], null]
 * ```
 *
 * @param options How often, how soon and on which statuses; a number is how often.
 * @returns The strategy.
 */
export function Retry(options: number | RetryOptions): RetryStrategy {
  const { Times, Delay = 200, Statuses = [408, 429, 502, 503, 504], AnyMethod = false } = typeof options === "number"
    ? { Times: options }
    : options;
  return (method, response, tried) => {
    if (tried >= Times || !(AnyMethod || idempotent.test(method))) return undefined;
    if (response !== undefined && !Statuses.includes(response.status)) return undefined;
    return askedDelay(response) ?? Delay * 2 ** tried * (1 - Math.random() / 2);
  };
}

/** The time that the server asks to wait. */
function askedDelay(response: Response | undefined): number | undefined {
  const asked = response?.headers.get("retry-after") ?? "";
  const seconds = /^\d+$/.test(asked) ? Number(asked) : (Date.parse(asked) - Date.now()) / 1000;
  return seconds >= 0 ? seconds * 1000 : undefined;
}
