/**
 * Standard Schema: the one interface of zod, valibot, arktype and others to code that wants input checked.
 *
 * @module
 */

import type { Result } from "../base/errors.ts";
import { ValidationError } from "./problem.ts";

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
  if (schema === undefined) return [input as T, null];
  const result = await schema["~standard"].validate(input);
  return result.issues === undefined
    ? [result.value, null]
    : [undefined as T, new ValidationError(result.issues.map((issue) => describe(issue, input)))];
}

function describe(issue: SchemaIssue, input: unknown): { Pointer: string; Message: string } {
  const keys = (issue.path ?? []).map((step) => typeof step === "object" ? step.key : step);
  // Of a key that is not wanted, the pointer tells enough.
  const message = issue.message.replaceAll(JSON.stringify(String(keys.at(-1) ?? "")), '"…"');
  return { Pointer: pointer(keys), Message: mask(message, valueAt(input, keys)) };
}

/** A JSON pointer (RFC 6901) as a fragment. */
function pointer(keys: readonly PropertyKey[]): string {
  const escape = (key: PropertyKey): string =>
    encodeURIComponent(String(key).toWellFormed().replaceAll("~", "~0").replaceAll("/", "~1"));
  return `#${keys.map((key) => `/${escape(key)}`).join("")}`;
}

function valueAt(input: unknown, keys: readonly PropertyKey[]): unknown {
  let value = input;
  for (const key of keys) {
    if (typeof value !== "object" || value === null) return undefined;
    value = (value as Record<PropertyKey, unknown>)[key];
  }
  return value;
}

const maxTexts = 1000;
const maxMessage = 300;

/** Blots out what a message quotes of the input: a password, or another user's page, must not come back in it. */
function mask(message: string, value: unknown): string {
  const texts = new Set<string>();
  collect(value, texts);
  if (texts.size > maxTexts || message.length > maxMessage) return "The value is not accepted";
  for (const text of [...texts].sort((a, b) => b.length - a.length)) {
    if (message.includes(text)) message = blot(message, text);
  }
  return message;
}

/** Short texts are blotted out only where they stand alone: a value "a" is not quoted by every "a" of a message. */
function blot(message: string, text: string): string {
  if (text.length > 2) return message.replaceAll(text, "…");
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}])${RegExp.escape(text)}(?![\\p{L}\\p{N}])`, "gu");
  return message.replace(pattern, "…");
}

function collect(value: unknown, texts: Set<string>): void {
  if (texts.size > maxTexts) return;
  if (typeof value === "string") texts.add(value).add(JSON.stringify(value).slice(1, -1)).delete("");
  else if (typeof value === "number" || typeof value === "bigint") texts.add(String(value));
  else if (typeof value === "object" && value !== null) {
    for (const [key, part] of Object.entries(value)) {
      // The indexes of a list are not the client's words.
      if (!Array.isArray(value)) collect(key, texts);
      collect(part, texts);
    }
  }
}
