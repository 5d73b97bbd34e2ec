/**
 * The errors that a client's calls resolve to.
 *
 * @module
 */

import { FrameworkError, HTTPError } from "../base/errors.ts";

/** What a server says of a failure in `application/problem+json` (RFC 9457); any part may be missing. */
export interface Problem {
  /** The kind of problem. */
  readonly type?: string;
  /** The kind of problem, in words. */
  readonly title?: string;
  /** The status of the response. */
  readonly status?: number;
  /** What happened. */
  readonly detail?: string;
  /** The places where the input does not fit its schema. */
  readonly errors?: readonly { readonly in?: string; readonly pointer: string; readonly detail: string }[];
  /** Whatever else the server says. */
  readonly [name: string]: unknown;
}

/** A response of status 400 or more. */
export class ResponseError extends HTTPError {
  /** The headers of the response. */
  readonly Headers: Headers;
  /** The body: what JSON held, a text, or `undefined` when there was none. */
  readonly Body: unknown;
  /** The body as problem details, if it was sent as such. */
  readonly Problem: Problem | undefined;

  /**
   * Describes a response that failed.
   *
   * @param response The response.
   * @param body What was read of it.
   */
  constructor(response: Response, body: unknown) {
    const problem = isProblem(response) && typeof body === "object" && body !== null ? body as Problem : undefined;
    super(
      response.status,
      problem?.detail ?? problem?.title ?? (typeof body === "string" ? body : response.statusText),
    );
    this.name = "ResponseError";
    this.Headers = response.headers;
    this.Body = body;
    this.Problem = problem;
  }
}

/** The error about a call that cannot be sent, or whose response cannot be read. */
export function callError(method: string, reason: string, cause?: unknown): FrameworkError {
  return new FrameworkError("FW_CLIENT", `Cannot call "${method}": ${reason}`, { cause });
}

function isProblem(response: Response): boolean {
  return /^application\/problem\+json\b/i.test(response.headers.get("content-type") ?? "");
}
