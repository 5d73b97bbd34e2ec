/**
 * Input checked by a schema: Standard Schema is the one interface of zod, valibot, arktype and others to code that
 * wants it.
 *
 * @module
 */

import type { Result } from "../base/errors.ts";
import { isThenable } from "../base/thenable.ts";
import { type InputPlace, type IssueParts, ValidationError } from "./validation_error.ts";

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
 * @param place The part of the request that the value was read from.
 * @returns The output of the schema, or an error that tells the client where the input is wrong.
 */
export async function validate<T>(
  input: unknown,
  schema: StandardSchema<T> | undefined,
  place?: InputPlace,
): Promise<Result<T>> {
  return schema === undefined ? [input as T, null] : await check(input, schema, place);
}

/**
 * Checks a value by a schema, at once where the schema does.
 *
 * @param input The value.
 * @param schema The schema.
 * @param place The part of the request that the value was read from.
 * @returns The output of the schema, or an error that tells the client where the input is wrong.
 */
export function check<T>(
  input: unknown,
  schema: StandardSchema<T>,
  place?: InputPlace,
): Result<T> | Promise<Result<T>> {
  const result = schema["~standard"].validate(input);
  return isThenable(result) ? result.then((later) => judge(input, later, place)) : judge(input, result, place);
}

function judge<T>(input: unknown, result: SchemaResult<T>, place: InputPlace | undefined): Result<T> {
  return result.issues === undefined
    ? [result.value, null]
    : [undefined, new ValidationError(result.issues.map((issue) => describe(issue, input, place)))];
}

/**
 * A message is sent in the schema's own words, but the refused text itself is masked where the message repeats it in
 * double quotes: a password must not come back, and no word of the developer may be cut.
 */
function describe(issue: SchemaIssue, input: unknown, place: InputPlace | undefined): IssueParts {
  const path = (issue.path ?? []).map((step) => typeof step === "object" ? step.key : step);
  const value = valueAt(input, path);
  const Message = typeof value === "string" ? mask(issue.message, value) : issue.message;
  return { Path: path, Message, ...place === undefined ? {} : { In: place } };
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
