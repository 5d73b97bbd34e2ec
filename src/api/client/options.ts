/**
 * Options for clients and calls.
 *
 * @module
 */

import { func, kind, type OptionRows } from "../../base/config/option_kinds.ts";
import { checkArgument, optionTable, readOptions } from "../../base/config/option_table.ts";

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

/** The rules for {@linkcode ClientOptions}. */
export const clientRows: OptionRows<ClientOptions> = {
  Headers: kind("headers or a function", (value) => typeof value === "function" || Object(value) === value, undefined),
  Fetch: func(),
  Signal: kind("an abort signal", (value) => value instanceof AbortSignal, undefined),
  Retry: func(),
};
const table = optionTable<ClientOptions>("client.ClientOptions", "a client")(clientRows);
const baseRule = kind("a URL or a path", (value) => value instanceof URL || typeof value === "string", undefined);

/** Checks the base URL of a client. */
export function checkBase(base: string | URL): void {
  checkArgument(base, baseRule, "base", "a client");
}

/** Checks the arguments of a client. */
export function checkClient(base: string | URL, options: ClientOptions): void {
  checkBase(base);
  readOptions(table, options);
}

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
