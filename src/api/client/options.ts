/**
 * Options for clients and calls.
 *
 * @module
 */

/** Headers, or a function that returns the headers for each call, for example to refresh a token. */
export type HeaderSource = HeadersInit | (() => HeadersInit | Promise<HeadersInit>);

/** Options for a client. */
export interface ClientOptions {
  /** The headers to send with every request. */
  readonly Headers?: HeaderSource;
  /**
   * The function that sends requests. Pass `app.fetch` to test an application without a port.
   *
   * @default {fetch}
   */
  readonly Fetch?: (request: Request) => Response | Promise<Response>;
  /** The signal that cancels all of the client's requests. */
  readonly Signal?: AbortSignal;
  /** The retry strategy for failed requests, such as `client.Retry(3)`. Calls can override it. */
  readonly Retry?: RetryStrategy;
}

/**
 * Decides whether to retry a request.
 *
 * @param method The HTTP method.
 * @param response The response, or `undefined` if none arrived.
 * @param tried The number of retries so far.
 * @returns The delay before the next retry, in milliseconds, or `undefined` to give up.
 */
export type RetryStrategy = (method: string, response: Response | undefined, tried: number) => number | undefined;

/** Options for a single call, passed after its path arguments. */
export interface CallOptions {
  /** The request body, sent as JSON. */
  readonly Body?: unknown;
  /** The form fields. Sent as multipart if one of them is a file, otherwise URL-encoded. */
  readonly Form?: unknown;
  /** The query parameters. Arrays repeat the parameter. */
  readonly Query?: unknown;
  /** The headers that the method reads as a typed input. */
  readonly Header?: unknown;
  /** Additional headers for this request. */
  readonly Headers?: HeadersInit;
  /** The signal that cancels this request. */
  readonly Signal?: AbortSignal;
  /** The retry strategy for this request. */
  readonly Retry?: RetryStrategy;
}
