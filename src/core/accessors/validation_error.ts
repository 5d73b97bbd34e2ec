/**
 * Validation errors as machine-readable problem details (RFC 9457).
 *
 * @module
 */

import { codedName, HTTPError } from "../../base/errors/errors.ts";
import type { KeptValues } from "./form_options.ts";

/** The part of a request that an input comes from. */
export type InputPlace = "body" | "query" | "header" | "path";

/** A validation issue. */
export interface ValidationIssue {
  /** The part of the request, if known. */
  readonly In?: InputPlace | undefined;
  /** The path of keys from the root, as reported by the schema. */
  readonly Path: readonly PropertyKey[];
  /** The location as a JSON Pointer fragment, such as `#/user/age`. `#` is the whole input. */
  readonly Pointer: string;
  /** The schema's message. If the message repeats the rejected string in double quotes, the string is masked. */
  readonly Message: string;
}

/** The properties of an issue that are needed to create a validation error. */
export type IssueParts = Pick<ValidationIssue, "Path" | "Message" | "In">;

/** Messages by field name, in the schema's order. Messages about the whole input have the empty name. */
export type FieldErrors = Readonly<Record<string, readonly string[]>>;

/** A validation error as an `application/problem+json` object. */
export interface ProblemDetails {
  /** The problem type. `about:blank` means that the status describes the problem. */
  readonly type: string;
  /** A short summary of the problem type. */
  readonly title: string;
  /** The response status. */
  readonly status: number;
  /** An explanation of this occurrence. */
  readonly detail: string;
  /** The validation issues. */
  readonly errors: readonly ProblemPlace[];
}

/** A validation issue in an `application/problem+json` object. */
export interface ProblemPlace {
  /** The part of the request: `body`, `query`, `header` or `path`. Omitted if unknown. */
  readonly in?: InputPlace;
  /** The location in that part, as a JSON Pointer fragment. */
  readonly pointer: string;
  /** The message that describes the issue. */
  readonly detail: string;
}

/** Adds the submitted values to the error of a form. */
export let keepValues: (error: ValidationError, values: KeptValues) => void;

/** Returns the message of an issue in the language of the request. */
export type TranslateIssue = (issue: ValidationIssue) => string;

/** Sets the function that translates the messages by field name. */
export let translateWith: (error: ValidationError, translate: TranslateIssue) => void;

/**
 * An error for input that does not match its schema. It has status 422, and the response is `application/problem+json`.
 *
 * @example Reading the response to invalid input
 * ```ts
 * import * as fw from "@fw/web";
 *
 * const error = new fw.ValidationError([{ Path: ["age"], Message: "Expected a number" }]);
 * error.Status; // → 422
 * error.Problem().errors; // → [{ pointer: "#/age", detail: "Expected a number" }]
 * error.Fields.age; // → ["Expected a number"]
 * ```
 */
export class ValidationError extends HTTPError {
  // Private, so that the user's input is not printed with the error.
  #values: KeptValues = {};
  #translate: TranslateIssue | undefined = undefined;

  static {
    keepValues = (error, values) => error.#values = values;
    translateWith = (error, translate) => error.#translate = translate;
  }

  /** The validation issues, in the order reported by the schema. */
  readonly Issues: readonly ValidationIssue[];

  /**
   * Creates a validation error.
   *
   * @param issues The validation issues.
   */
  constructor(issues: readonly IssueParts[]) {
    const count = issues.length === 1
      ? "1 value does not match its schema"
      : `${issues.length} values do not match their schema`;
    super(422, `Cannot accept the input: ${count}`, { Code: "FW_VALIDATION" });
    this.name = codedName("ValidationError", this.Code);
    this.Issues = issues.map((issue) => ({ ...issue, Pointer: pointer(issue.Path) }));
  }

  /**
   * Returns the messages by field name. A message about a part of a field, such as one item of an array, is listed
   * under the name of the field. Messages that are translation keys are translated into the language of the request.
   */
  get Fields(): FieldErrors {
    const fields: Record<string, string[]> = Object.create(null);
    for (const issue of this.Issues) {
      const { Path: [name = ""], Message } = issue;
      (fields[String(name)] ??= []).push(this.#translate?.(issue) ?? Message);
    }
    return fields;
  }

  /**
   * Returns the submitted strings by field name if the input is a form, so that a page can show the form again. Files
   * and passwords are omitted; see `FormState.Values`.
   */
  get Values(): KeptValues {
    return this.#values;
  }

  /**
   * Returns the error as an `application/problem+json` object.
   *
   * @returns An object to be serialized as JSON.
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

/** Returns a JSON Pointer (RFC 6901) as a URL fragment. */
function pointer(path: readonly PropertyKey[]): string {
  return `#${path.map((key) => `/${escapeKey(key)}`).join("")}`;
}

function escapeKey(key: PropertyKey): string {
  return encodeURIComponent(String(key).toWellFormed().replaceAll("~", "~0").replaceAll("/", "~1"));
}
