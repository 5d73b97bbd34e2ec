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
  /** Decides whether a request is sent again if it fails: `client.Retry(3)`. A call may say otherwise. */
  readonly Retry?: RetryStrategy;
}

/**
 * Decides whether a request is sent again.
 *
 * @param method The HTTP method.
 * @param response The response; `undefined` if there is none.
 * @param tried How often it was sent again before.
 * @returns The time to wait in milliseconds, or `undefined` to leave it.
 */
export type RetryStrategy = (method: string, response: Response | undefined, tried: number) => number | undefined;

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
  /** Decides whether this request is sent again if it fails. */
  readonly Retry?: RetryStrategy;
}
