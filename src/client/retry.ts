/**
 * Retries failed requests.
 *
 * @module
 */

import type { RetryStrategy } from "./options.ts";

/** Options for {@linkcode Retry}. */
export interface RetryOptions {
  /** The maximum number of retries. */
  readonly Times: number;
  /**
   * The delay before the first retry, in milliseconds. It doubles with each retry. A `Retry-After` header in the
   * response takes precedence.
   *
   * @default {200}
   */
  readonly Delay?: number;
  /**
   * The status codes to retry. Requests without a response are always retried.
   *
   * @default {[408, 429, 502, 503, 504]}
   */
  readonly Statuses?: readonly number[];
  /**
   * Whether to retry POST and PATCH requests too. Such requests may then take effect twice.
   *
   * @default {false}
   */
  readonly AnyMethod?: boolean;
}

/** The idempotent methods, which are safe to repeat. */
const idempotent = /^(?:GET|HEAD|PUT|DELETE|OPTIONS|TRACE)$/;

/**
 * Creates a retry strategy for the `Retry` option of a client or call.
 *
 * @example Try up to three times
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
 * @param options The retry options, or the maximum number of retries.
 * @returns The retry strategy.
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

/** Returns the delay from the `Retry-After` header. */
function askedDelay(response: Response | undefined): number | undefined {
  const asked = response?.headers.get("retry-after") ?? "";
  const seconds = /^\d+$/.test(asked) ? Number(asked) : (Date.parse(asked) - Date.now()) / 1000;
  return seconds >= 0 ? seconds * 1000 : undefined;
}
