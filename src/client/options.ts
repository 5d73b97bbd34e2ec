/**
 * Options of a client and of its calls.
 *
 * @module
 */

/** Headers, or a function that returns them for each call, as for a token that changes. */
export type HeaderSource = HeadersInit | (() => HeadersInit | Promise<HeadersInit>);

/** How a client sends its requests. */
export interface ClientOptions {
  /** Headers of every request. */
  readonly Headers?: HeaderSource;
  /** Sends a request, in place of the platform's `fetch`: `app.fetch` serves tests without a port. */
  readonly Fetch?: (request: Request) => Response | Promise<Response>;
  /** Cancels every request of the client. */
  readonly Signal?: AbortSignal;
  /** How often a request is sent again if it fails; a call may say otherwise. */
  readonly Retries?: number | RetryOptions;
}

/** Options for requests that are sent again. */
export interface RetryOptions {
  /** How often at most. */
  readonly Times: number;
  /**
   * The time to wait before the first retry, in milliseconds; it doubles each time. A `Retry-After` header of the
   * response takes precedence.
   *
   * @default {200}
   */
  readonly Delay?: number;
  /**
   * The statuses that are retried. A request without a response is always one of them.
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

/** Options of one call, after its path arguments. */
export interface CallOptions {
  /** The body, sent as JSON. */
  readonly Body?: unknown;
  /** Fields, sent as a form: multipart if one of them is a file, urlencoded otherwise. */
  readonly Form?: unknown;
  /** Query parameters; a list repeats its name. */
  readonly Query?: unknown;
  /** Headers that the method reads as a typed input. */
  readonly Header?: unknown;
  /** Other headers of this request. */
  readonly Headers?: HeadersInit;
  /** Cancels this request. */
  readonly Signal?: AbortSignal;
  /** How often this request is sent again if it fails. */
  readonly Retries?: number | RetryOptions;
}
