/**
 * Converts the errors of handlers to the form that clients may see. They have the same meaning as in a response.
 *
 * @module
 */

import { type ProblemPlace, ValidationError } from "../../../core/accessors/validation_error.ts";
import { type Context, exchangeOf } from "../../../core/context/context.ts";
import { withTranslations } from "../../../core/context/format/issue_messages.ts";
import { FrameworkError, HTTPError, returnedError, statusText } from "../../../base/errors/errors.ts";
import { isDescribing } from "../../../http/headers/problem.ts";
import { isResponse } from "../../../http/response/platform_response.ts";
import type { Failure } from "./codec.ts";

/** The failure of an event that was repeated. It has already been logged. */
export class RepeatedFailure extends Error {
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(failure.Message);
    this.name = "RepeatedFailure";
    this.failure = failure;
  }
}

/**
 * Returns the public form of an error: its status, message and problem details. The messages of validation issues are
 * in the language of the handshake. An unexpected error has only a status.
 */
export function failureOf(handshake: { readonly ctx: Context }, error: unknown): Failure {
  if (error instanceof RepeatedFailure) return error.failure;
  if (isErrorResponse(error)) return { Status: error.status, Message: statusText(error.status) };
  if (!(error instanceof HTTPError)) return { Status: 500, Message: statusText(500) };
  const shown = error instanceof ValidationError ? withTranslations(exchangeOf(handshake.ctx), error) : error;
  const failure = { Status: shown.Status, Message: shown.message };
  if (!isDescribing(shown)) return failure;
  const { type, title = statusText(shown.Status), ...rest } = shown.Problem();
  const { errors } = rest;
  return {
    ...failure,
    ...Array.isArray(errors) && { Errors: errors as ProblemPlace[] },
    Problem: { type, title, ...rest },
  };
}

/** Reports whether an error was not meant for the client, so that it must be logged. */
export function isUnexpected(error: unknown): boolean {
  if (error instanceof RepeatedFailure || isErrorResponse(error)) return false;
  // The hub has already logged that its backplane cannot be reached.
  return !(error instanceof HTTPError) || error.Status >= 500 && error.Code !== "FW_LIVE";
}

/**
 * Throws an error that a handler has returned. A returned error is meant for the client, as in a route. Its status is
 * 400 unless it has its own.
 */
export function throwReturned(value: unknown): void {
  if (value instanceof Error) throw returnedError(value);
}

/**
 * Throws if a value cannot be the reply to an event. A response with an error status is that error. Other responses and
 * functions would be sent as empty objects or with their own fields.
 */
export function checkReply(value: unknown): void {
  throwReturned(value);
  if (isErrorResponse(value)) throw value;
  const isHTTP = isResponse(value) || typeof Object(value).Dispatch === "function";
  if (!isHTTP && typeof value !== "function" && typeof value !== "symbol") return;
  const what = isHTTP ? "response" : typeof value;
  throw new FrameworkError("FW_RETURN", `Cannot reply to an event with a ${what}: return the value itself`);
}

/** Reports whether a thrown value is a response with an error status, which may also be thrown in HTTP handlers. */
function isErrorResponse(thrown: unknown): thrown is Response {
  return isResponse(thrown) && thrown.status >= 400;
}
