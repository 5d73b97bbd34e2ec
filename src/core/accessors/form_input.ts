/**
 * Unvalidated form and query values by name.
 *
 * @module
 */

import type { Body } from "../../http/body/body.ts";
import { checkField } from "../../http/body/source/body_errors.ts";
import type { Query } from "./query.ts";

/**
 * A value passed to `ReadForm` callers: a single value, or an array if the name occurs several times or ends in `[]`.
 */
export type FormInput = string | File | (string | File)[];

/**
 * Returns the body's fields and files by name.
 *
 * @throws {HTTPError} With status 415 if the body is not a form.
 */
export async function formInput(body: Body): Promise<Record<string, FormInput>> {
  const form = await body.submittedForm();
  const input = inputOf(form.values);
  for (const file of form.files) addInput(input, file.field, file.open());
  return input;
}

/**
 * Returns the query parameters by name.
 *
 * @throws {HTTPError} With status 400 if a parameter contains a NUL character, like a form.
 */
export function queryInput(query: Query): Record<string, FormInput> {
  const { values } = query;
  for (const name in values) {
    for (const value of values[name] ?? []) checkField("read the query string", name, value, "parameter");
  }
  return inputOf(values);
}

function inputOf(values: Record<string, string[]>): Record<string, FormInput> {
  const input: Record<string, FormInput> = Object.create(null);
  for (const name in values) {
    for (const value of values[name] ?? []) addInput(input, name, value);
  }
  return input;
}

/** Adds a value. A name ending in `[]` always gets an array, even if there is only one value. */
function addInput(input: Record<string, FormInput>, name: string, value: string | File): void {
  const isList = name.length > 2 && name.endsWith("[]");
  const key = isList ? name.slice(0, -2) : name;
  const known = input[key];
  if (known === undefined) input[key] = isList ? [value] : value;
  else if (Array.isArray(known)) known.push(value);
  else input[key] = [known, value];
}
