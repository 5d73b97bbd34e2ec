/**
 * Input that does not fit its schema, as problem details that programs understand (RFC 9457).
 *
 * @module
 */

import { HTTPError } from "../base/errors.ts";

/** The part of a request that an input is read from. */
export type InputPlace = "body" | "query" | "header" | "path";

/** One place where input does not fit its schema. */
export interface ValidationIssue {
  /** The part of the request, if it is known. */
  readonly In?: InputPlace | undefined;
  /** Where: the keys from the root, as the schema gave them. */
  readonly Path: readonly PropertyKey[];
  /** Where: a JSON pointer as a fragment, such as `#/user/age`; `#` is the whole input. */
  readonly Pointer: string;
  /** What is wrong there, in the schema's words; the refused text is masked where they repeat it in double quotes. */
  readonly Message: string;
}

/** What the error of an input is created from. */
export type IssueParts = Pick<ValidationIssue, "Path" | "Message" | "In">;

/** A failure as `application/problem+json` describes it. */
export interface ProblemDetails {
  /** The kind of problem; `about:blank` means that the status says it. */
  readonly type: string;
  /** The kind of problem, in words. */
  readonly title: string;
  /** The status of the response. */
  readonly status: number;
  /** What happened. */
  readonly detail: string;
  /** The places where the input does not fit. */
  readonly errors: readonly ProblemPlace[];
}

/** One place where the input does not fit, as `application/problem+json` lists it. */
export interface ProblemPlace {
  /** The part of the request: `body`, `query`, `header` or `path`; absent if it is not known. */
  readonly in?: InputPlace;
  /** Where in that part: a JSON pointer as a fragment. */
  readonly pointer: string;
  /** What is wrong there. */
  readonly detail: string;
}

/**
 * Input that does not fit its schema: status 422, and as a response `application/problem+json`.
 *
 * @example Reading what the client is told
 * ```ts
 * import * as fw from "@fw/web";
 *
 * const error = new fw.ValidationError([{ Path: ["age"], Message: "Expected a number" }]);
 * error.Status; // → 422
 * error.Problem().errors; // → [{ pointer: "#/age", detail: "Expected a number" }]
 * ```
 */
export class ValidationError extends HTTPError {
  /** The places where the input does not fit, in the schema's order. */
  readonly Issues: readonly ValidationIssue[];

  /**
   * Creates the error of an input.
   *
   * @param issues What is wrong with it, and where.
   */
  constructor(issues: readonly IssueParts[]) {
    const count = issues.length === 1 ? "1 value does not fit its schema" : `${issues.length} values do not fit`;
    super(422, `Cannot accept the input: ${count}`, { Code: "FW_VALIDATION" });
    this.name = "ValidationError";
    this.Issues = issues.map((issue) => ({ ...issue, Pointer: pointer(issue.Path) }));
  }

  /**
   * Describes the failure as `application/problem+json` does.
   *
   * @returns An object for `JSON`.
   */
  Problem(): ProblemDetails {
    return {
      type: "about:blank",
      title: "Unprocessable Content",
      status: this.Status,
      detail: this.message,
      errors: this.Issues.map(placeOf),
    };
  }
}

function placeOf({ In, Pointer, Message }: ValidationIssue): ProblemPlace {
  return In === undefined ? { pointer: Pointer, detail: Message } : { in: In, pointer: Pointer, detail: Message };
}

/** A JSON pointer (RFC 6901) as a fragment. */
function pointer(path: readonly PropertyKey[]): string {
  return `#${path.map((key) => `/${escapeKey(key)}`).join("")}`;
}

function escapeKey(key: PropertyKey): string {
  return encodeURIComponent(String(key).toWellFormed().replaceAll("~", "~0").replaceAll("/", "~1"));
}
