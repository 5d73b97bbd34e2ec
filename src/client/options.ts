/**
 * What a client and each of its calls may be told.
 *
 * @module
 */

/** Headers, or a function that returns them for each call, as for a token that changes. */
export type HeaderSource = HeadersInit | (() => HeadersInit | Promise<HeadersInit>);

/** How a client sends its requests. */
export interface ClientOptions {
  /** Headers of every request. */
  readonly Headers?: HeaderSource;
  /** What sends a request, in place of the platform's `fetch`: `app.fetch` serves tests without a port. */
  readonly Fetch?: (request: Request) => Response | Promise<Response>;
  /** Cancels every request of the client. */
  readonly Signal?: AbortSignal;
}

/** What one call may say beside its path arguments. */
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
}
