/**
 * Defines the errors that client calls return.
 *
 * @module
 */

import { FrameworkError, HTTPError } from "../../base/errors/errors.ts";

/** Problem details from an `application/problem+json` response (RFC 9457). Every member is optional. */
export interface Problem {
  /** A URI that identifies the problem type. */
  readonly type?: string;
  /** A short description of the problem type. */
  readonly title?: string;
  /** The response status code. */
  readonly status?: number;
  /** An explanation of this occurrence of the problem. */
  readonly detail?: string;
  /** The validation errors, with a JSON pointer to each invalid value. */
  readonly errors?: readonly { readonly in?: string; readonly pointer: string; readonly detail: string }[];
  /** Extension members. */
  readonly [name: string]: unknown;
}

/** The error returned for a response with a status code of 400 or higher. */
export class ResponseError extends HTTPError {
  /** The response headers. */
  readonly Headers: Headers;
  /** The response body: the parsed JSON, a string, or `undefined` if the body is empty. */
  readonly Body: unknown;
  /** The body as problem details, if the server sent `application/problem+json`. */
  readonly Problem: Problem | undefined;

  /**
   * Creates an error from a response.
   *
   * @param response The response.
   * @param body The body read from the response.
   */
  constructor(response: Response, body: unknown) {
    const problem = isProblem(response) && typeof body === "object" && body !== null ? body as Problem : undefined;
    const RetryAfter = retryAfter(response);
    super(
      response.status,
      problem?.detail ?? problem?.title ?? (typeof body === "string" ? body : response.statusText),
      RetryAfter === undefined ? {} : { RetryAfter },
    );
    this.name = "ResponseError";
    this.Headers = response.headers;
    this.Body = body;
    this.Problem = problem;
  }
}

/** Creates the error for a call that could not be sent or whose response could not be read. */
export function callError(method: string, reason: string, cause?: unknown): FrameworkError {
  return new FrameworkError("FW_CLIENT", `Cannot call "${method}": ${reason}`, { cause });
}

/** Returns the delay from the `Retry-After` header, in milliseconds. */
export function retryAfter(response: Response | undefined): number | undefined {
  const asked = response?.headers.get("retry-after") ?? "";
  const seconds = /^\d+$/.test(asked) ? Number(asked) : (Date.parse(asked) - Date.now()) / 1000;
  return seconds >= 0 ? seconds * 1000 : undefined;
}

function isProblem(response: Response): boolean {
  return /^application\/problem\+json\b/i.test(response.headers.get("content-type") ?? "");
}
