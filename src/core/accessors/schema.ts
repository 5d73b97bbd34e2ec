/**
 * Validation of input with a schema. Standard Schema is the common interface of zod, valibot, arktype and other
 * libraries.
 *
 * @module
 */

import { describe as describeValue } from "../../base/async/callback.ts";
import { isThenable } from "../../base/async/thenable.ts";
import { kind, type Option } from "../../base/config/option_kinds.ts";
import type { Result } from "../../base/errors/errors.ts";
import { type InputPlace, type IssueParts, ValidationError } from "./validation_error.ts";

/** A schema from any library that implements Standard Schema, version 1 (https://standardschema.dev). */
export interface StandardSchema<Output = unknown> {
  /** The Standard Schema interface. */
  readonly "~standard": {
    /** The version of the standard. */
    readonly version: 1;
    /** The name of the library. */
    readonly vendor: string;
    /** Validates a value. */
    readonly validate: (value: unknown) => SchemaResult<Output> | Promise<SchemaResult<Output>>;
    /** The input and output types, used only by the compiler. */
    readonly types?: { readonly input: unknown; readonly output: Output } | undefined;
  };
}

/** Declares an option with a schema. Those of some libraries are functions. */
export function schemaOption<T>(): Option<StandardSchema<T>, undefined> {
  return kind("a Standard Schema", (value) => typeof Object(value)["~standard"] === "object", undefined);
}

/** The result of validation: a value or a list of issues. */
export type SchemaResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly SchemaIssue[] };

/** A validation issue. */
export interface SchemaIssue {
  /** The message that describes the issue. */
  readonly message: string;
  /** The path of keys from the root to the invalid value. */
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/**
 * Validates a value against a schema.
 *
 * @param input The value to validate.
 * @param schema The schema. If omitted, every value is valid.
 * @param place The part of the request that the value was read from.
 * @returns The schema's output, or an error that describes the invalid values to the client.
 */
export async function validate<T>(
  input: unknown,
  schema: StandardSchema<T> | undefined,
  place?: InputPlace,
): Promise<Result<T>> {
  return schema === undefined ? [input as T, null] : await check(input, schema, place);
}

/**
 * Validates a value against a schema. Synchronous if the schema is.
 *
 * @param input The value to validate.
 * @param schema The schema.
 * @param place The part of the request that the value was read from.
 * @returns The schema's output, or an error that describes the invalid values to the client.
 */
export function check<T>(
  input: unknown,
  schema: StandardSchema<T>,
  place?: InputPlace,
): Result<T> | Promise<Result<T>> {
  const result = schema["~standard"].validate(input);
  return isThenable(result) ? result.then((later) => judge(input, later, place)) : judge(input, result, place);
}

/**
 * Validates a value against a schema, and throws if it is not valid. Synchronous if the schema is.
 *
 * @returns The schema's output.
 */
export function checkValid(input: unknown, schema: StandardSchema, place?: InputPlace): unknown {
  const checked = check(input, schema, place);
  return isThenable(checked) ? checked.then(valid) : valid(checked);
}

/**
 * Validates a value against a schema that must be synchronous.
 *
 * @returns The result, or `undefined` if the schema is asynchronous.
 */
export function checkNow<T>(input: unknown, schema: StandardSchema<T>): SchemaResult<T> | undefined {
  const result = schema["~standard"].validate(input);
  if (!isThenable(result)) return checkedResult(result);
  result.catch(() => {});
  return undefined;
}

/** Refuses a result that is neither a success nor a failure. The input would otherwise pass without validation. */
function checkedResult<T>(result: SchemaResult<T>): SchemaResult<T> {
  if (typeof result === "object" && result !== null && ("value" in result || Array.isArray(result.issues))) {
    return result;
  }
  throw new TypeError(`The schema returned ${describeValue(result)} instead of a result`);
}

function valid([value, error]: Result<unknown>): unknown {
  if (error !== null) throw error;
  return value;
}

function judge<T>(input: unknown, returned: SchemaResult<T>, place: InputPlace | undefined): Result<T> {
  const result = checkedResult(returned);
  return result.issues === undefined
    ? [result.value, null]
    : [undefined, new ValidationError(result.issues.map((issue) => describe(issue, input, place)))];
}

/**
 * Returns the schema's message for an issue. If the message repeats the rejected string in double quotes, the string is
 * masked so that a password is never sent back. The rest of the message stays the same.
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
  // Some libraries escape the strings they quote, and others do not.
  return message.replaceAll(JSON.stringify(text), '"…"').replaceAll(`"${text}"`, '"…"');
}
