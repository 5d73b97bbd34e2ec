/**
 * What a call resolves to: types only.
 *
 * @module
 */

import type { TupleMark } from "../../mvc/result/tuple.ts";
import type { ResponseError } from "./call_error.ts";
import type { IsErrorStatus, JSONOf } from "./json_type.ts";

/**
 * What a call resolves to: the value and no error, or the error alone. Its `Response` has the status and the headers.
 */
export type CallResult<T, Failure = Error> =
  | readonly [T, null] & WithResponse
  | readonly [undefined, Failure] & WithResponse;

/** What a call has beside its value or error. */
export interface WithResponse {
  /**
   * The response, with its status and headers; absent if there is none. Its body has been read, unless the value is a
   * stream.
   */
  readonly Response?: Response;
}

/** A response of one status whose body is known. */
export interface StatusError<Status extends number, Body> extends ResponseError {
  /** The status. */
  readonly Status: Status;
  /** The body, read as JSON or as text. */
  readonly Body: Body;
}

/** An error without a response: the request could not be sent, or the response could not be read. */
export interface LostCallError extends Error {
  /** There is no status. */
  readonly Status?: undefined;
}

/** The statuses of errors, so that a status tells the known errors of a method from all others. */
export type ErrorStatus =
  // deno-fmt-ignore
  | 400 | 401 | 402 | 403 | 404 | 405 | 406 | 407 | 408 | 409 | 410 | 411 | 412 | 413 | 414 | 415 | 416 | 417 | 418
  | 421 | 422 | 423 | 424 | 425 | 426 | 428 | 429 | 431 | 451
  | 500 | 501 | 502 | 503 | 504 | 505 | 506 | 507 | 508 | 510 | 511;

/**
 * The errors of a method that returns `R`: typed by status if it returns tuples with a literal status of 400 or more,
 * such as `mvc.Tuple({ why: "taken" }, 409)`.
 */
export type ErrorOf<R> = [KnownError<R>] extends [never] ? Error
  : KnownError<R> | OtherError<StatusOf<KnownError<R>>> | LostCallError;

/**
 * The errors of all other statuses.
 *
 * @internal
 */
type OtherError<Known> = StatusError<Exclude<ErrorStatus, Known>, unknown>;

/**
 * The statuses of errors.
 *
 * @internal
 */
type StatusOf<E> = E extends StatusError<infer Status, unknown> ? Status : never;

/**
 * The errors that a return type tells.
 *
 * @internal
 */
type KnownError<R> = R extends Promise<infer V> ? KnownError<V>
  : R extends TupleMark<infer A, infer B> ? A extends number ? ErrorBody<A, B> : B extends number ? ErrorBody<B, A>
    : never
  : never;

type ErrorBody<Status extends number, Body> = IsErrorStatus<Status> extends true ? StatusError<Status, JSONOf<Body>>
  : never;
