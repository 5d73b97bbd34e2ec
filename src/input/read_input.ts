/**
 * Bodies and queries as whole values, checked if there is a schema.
 *
 * @module
 */

import type { Result } from "../base/errors.ts";
import { toError } from "../base/to_error.ts";
import type { Body } from "../body/body.ts";
import type { Query } from "./query.ts";
import { type StandardSchema, validate } from "./schema.ts";

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
