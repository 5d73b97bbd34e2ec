/**
 * Input read and checked by a schema: Standard Schema is the one interface of zod, valibot, arktype and others to code that
 * wants it.
 *
 * @module
 */

import { HTTPError, type Result, toError } from "../base/errors.ts";
import { isThenable } from "../base/promises.ts";
import type { Body } from "../body/body.ts";
import type { Query } from "./params.ts";

/** A schema of any library that implements Standard Schema, version 1 (https://standardschema.dev). */
export interface StandardSchema<Output = unknown> {
  /** The interface of the standard. */
  readonly "~standard": {
    /** The version of the standard. */
    readonly version: 1;
    /** The name of the library. */
    readonly vendor: string;
    /** Checks a value. */
    readonly validate: (value: unknown) => SchemaResult<Output> | Promise<SchemaResult<Output>>;
    /** What goes in and what comes out, for the compiler only. */
    readonly types?: { readonly input: unknown; readonly output: Output } | undefined;
  };
}

/** What a schema returns: a value, or what is wrong with the input. */
export type SchemaResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly SchemaIssue[] };

/** One thing that is wrong with the input. */
export interface SchemaIssue {
  /** What is wrong. */
  readonly message: string;
  /** Where it is wrong: the keys from the root. */
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/**
 * Checks a value by a schema.
 *
 * @param input The value.
 * @param schema The schema; without one, every value is right.
 * @returns The output of the schema, or an error that tells the client where the input is wrong.
 */
export async function validate<T>(input: unknown, schema: StandardSchema<T> | undefined): Promise<Result<T>> {
  return schema === undefined ? [input as T, null] : await check(input, schema);
}

/**
 * Checks a value by a schema, at once where the schema does.
 *
 * @param input The value.
 * @param schema The schema.
 * @returns The output of the schema, or an error that tells the client where the input is wrong.
 */
export function check<T>(input: unknown, schema: StandardSchema<T>): Result<T> | Promise<Result<T>> {
  const result = schema["~standard"].validate(input);
  return isThenable(result) ? result.then((later) => judge(input, later)) : judge(input, result);
}

function judge<T>(input: unknown, result: SchemaResult<T>): Result<T> {
  return result.issues === undefined
    ? [result.value, null]
    : [undefined, new ValidationError(result.issues.map((issue) => describe(issue, input)))];
}

/**
 * A message is sent in the schema's own words, but the refused text itself is masked where the message repeats it in
 * double quotes: a password must not come back, and no word of the developer may be cut.
 */
function describe(issue: SchemaIssue, input: unknown): { Path: readonly PropertyKey[]; Message: string } {
  const path = (issue.path ?? []).map((step) => typeof step === "object" ? step.key : step);
  const value = valueAt(input, path);
  return { Path: path, Message: typeof value === "string" ? mask(issue.message, value) : issue.message };
}

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  let value = input;
  for (const key of path) {
    if (typeof value !== "object" || value === null) return undefined;
    value = (value as Record<PropertyKey, unknown>)[key];
  }
  return value;
}

function mask(message: string, text: string): string {
  // Some libraries escape what they quote, others do not.
  return message.replaceAll(JSON.stringify(text), '"…"').replaceAll(`"${text}"`, '"…"');
}

/** One place where input does not fit its schema. */
export interface ValidationIssue {
  /** Where: the keys from the root, as the schema gave them. */
  readonly Path: readonly PropertyKey[];
  /** Where: a JSON pointer as a fragment, such as `#/user/age`; `#` is the whole input. */
  readonly Pointer: string;
  /** What is wrong there, in the schema's words; the refused text is masked where they repeat it in double quotes. */
  readonly Message: string;
}

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
  readonly errors: readonly { readonly pointer: string; readonly detail: string }[];
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
  constructor(issues: readonly Pick<ValidationIssue, "Path" | "Message">[]) {
    const count = issues.length === 1 ? "1 value does not fit its schema" : `${issues.length} values do not fit`;
    super(422, `Cannot accept the input: ${count}`, { Code: "FW_VALIDATION" });
    this.name = "ValidationError";
    this.Issues = issues.map(({ Path, Message }) => ({ Path, Pointer: pointer(Path), Message }));
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
      errors: this.Issues.map((issue) => ({ pointer: issue.Pointer, detail: issue.Message })),
    };
  }
}

/** A JSON pointer (RFC 6901) as a fragment. */
function pointer(path: readonly PropertyKey[]): string {
  return `#${path.map((key) => `/${escapeKey(key)}`).join("")}`;
}

function escapeKey(key: PropertyKey): string {
  return encodeURIComponent(String(key).toWellFormed().replaceAll("~", "~0").replaceAll("/", "~1"));
}

/** What `ReadForm` holds under a name: one value, or a list where the name came several times or ends in `[]`. */
export type FormInput = string | File | (string | File)[];

/** The bytes of the body. */
export async function getBody(body: Body): Promise<Result<Uint8Array<ArrayBuffer>>> {
  try {
    return [await body.bytes(), null];
  } catch (error) {
    return [undefined, toError(error)];
  }
}

/** How JSON is read. */
export interface JSONOptions {
  /**
   * Reads a body of any content type, or without one. By default only JSON is read as such: a page of another site can
   * have a browser send JSON as `text/plain`, with the user's cookies, and without asking.
   */
  AnyType?: boolean;
}

/** The body as JSON. */
export function readJSON<T>(body: Body, schema?: StandardSchema<T>, options: JSONOptions = {}): Promise<Result<T>> {
  return read(() => body.json({ isAnyType: options.AnyType === true }), schema);
}

/** The fields and files of the body by name. */
export function readForm<T>(body: Body, schema?: StandardSchema<T>): Promise<Result<T>> {
  return read(() => formInput(body), schema);
}

/** The fields and files of the body by name, unchecked. */
export async function formInput(body: Body): Promise<Record<string, FormInput>> {
  const form = await body.form();
  const input = inputOf(form.values);
  for (const file of form.files) addInput(input, file.field, file.open());
  return input;
}

/** The parameters of the query by name. */
export function readQuery<T>(query: Query, schema?: StandardSchema<T>): Promise<Result<T>> {
  return validate(queryInput(query), schema);
}

/** The parameters of the query by name, unchecked. */
export function queryInput(query: Query): Record<string, FormInput> {
  return inputOf(query.values);
}

async function read<T>(take: () => Promise<unknown>, schema: StandardSchema<T> | undefined): Promise<Result<T>> {
  let input: unknown;
  try {
    input = await take();
  } catch (error) {
    return [undefined, toError(error)];
  }
  return await validate(input, schema);
}

function inputOf(values: Record<string, string[]>): Record<string, FormInput> {
  const input: Record<string, FormInput> = Object.create(null);
  for (const name in values) {
    for (const value of values[name] ?? []) addInput(input, name, value);
  }
  return input;
}

/** A name that ends in `[]` says that it is a list, however many values came. */
function addInput(input: Record<string, FormInput>, name: string, value: string | File): void {
  const isList = name.length > 2 && name.endsWith("[]");
  const key = isList ? name.slice(0, -2) : name;
  const known = input[key];
  if (known === undefined) input[key] = isList ? [value] : value;
  else if (Array.isArray(known)) known.push(value);
  else input[key] = [known, value];
}
