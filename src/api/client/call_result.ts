/**
 * Types for the results of calls.
 *
 * @module
 */

import type { TupleMark } from "../../../mvc/result/tuple.ts";
import type { ResponseError } from "./call_error.ts";
import type { IsErrorStatus, JSONOf } from "./json_type.ts";

/**
 * The result of a call: `[value, null]` or `[undefined, error]`. Its `Response` property holds the status and headers.
 */
export type CallResult<T, Failure = CallError> =
  | readonly [T, null] & WithResponse
  | readonly [undefined, Failure] & WithResponse;

/** The response that a call's result was read from. */
export interface WithResponse {
  /** The response, or `undefined` if none arrived. Its body has already been read, unless the value is a stream. */
  readonly Response?: Response;
}

/** An error response with a known status code and body type. */
export interface StatusError<Status extends number, Body> extends ResponseError {
  /** The response status code. */
  readonly Status: Status;
  /** The response body, read as JSON or text. */
  readonly Body: Body;
}

/** An error without a response, because the request could not be sent or the response could not be read. */
export interface LostCallError extends Error {
  /** Always `undefined`, because there is no response. */
  readonly Status?: undefined;
  /** Always `undefined`, because there is no response. */
  readonly Headers?: undefined;
  /** Always `undefined`, because there is no response. */
  readonly Body?: undefined;
  /** Always `undefined`, because there is no response. */
  readonly Problem?: undefined;
}

/** The error of a call. If its `Status` is not `undefined`, it is a {@linkcode ResponseError}. */
export type CallError = ResponseError | LostCallError;

/** The status codes of errors. They let `error.Status` distinguish a method's declared errors from all other errors. */
export type ErrorStatus =
  // deno-fmt-ignore
  | 400 | 401 | 402 | 403 | 404 | 405 | 406 | 407 | 408 | 409 | 410 | 411 | 412 | 413 | 414 | 415 | 416 | 417 | 418
  | 421 | 422 | 423 | 424 | 425 | 426 | 428 | 429 | 431 | 451
  | 500 | 501 | 502 | 503 | 504 | 505 | 506 | 507 | 508 | 510 | 511;

/**
 * The errors of a method that returns `R`. They are typed by status if the method returns tuples with a literal status
 * of 400 or higher, such as `mvc.Tuple({ why: "taken" }, 409)`.
 */
export type ErrorOf<R> = KnownError<R> extends never ? CallError
  : KnownError<R> | OtherError<StatusOf<KnownError<R>>> | LostCallError;

/**
 * The error for any status that the method does not declare.
 *
 * @internal
 */
type OtherError<Known> = StatusError<Exclude<ErrorStatus, Known>, unknown>;

/**
 * The status codes of an error type.
 *
 * @internal
 */
type StatusOf<E> = E extends StatusError<infer Status, unknown> ? Status : never;

/**
 * The errors that a return type declares.
 *
 * @internal
 */
type KnownError<R> = R extends unknown[] ? never
  : R extends TupleMark<infer A, infer B>
    ? A extends number ? ErrorBody<A, B> : B extends number ? ErrorBody<B, A> : never
  : R extends Promise<infer V> ? KnownError<V>
  : never;

type ErrorBody<Status extends number, Body> = IsErrorStatus<Status> extends true ? StatusError<Status, JSONOf<Body>>
  : never;
