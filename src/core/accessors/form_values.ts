/**
 * Form fields. "Post" functions read the body, and "form" functions read the body and the query string.
 *
 * @module
 */

import { checkText } from "../../base/config/option_table.ts";
import type { Parsed } from "../../base/errors/errors.ts";
import { toError } from "../../base/errors/to_error.ts";
import { type Conversion, convert, convertOr, float64, int, int64, lenientBool } from "../../base/text/convert.ts";
import type { Form } from "../../http/body/form/form.ts";
import { type ValueMap, valueMap } from "../../http/headers/urlencoded.ts";
import type { Query } from "./query.ts";

/** A body that can be read as a form. */
export interface FormBody {
  form(): Promise<Form>;
}

/** Returns the first value of a name from the body or else the query string, or an empty string if it is missing. */
export async function formValue(body: FormBody, query: Query, name: string): Promise<string> {
  return first(await body.form(), name) ?? query.values[name]?.[0] ?? "";
}

/** Returns the first value of a name from the body or else the query string, or a default if it is missing. */
export async function formValueDefault(body: FormBody, query: Query, name: string, def: string): Promise<string> {
  return first(await body.form(), name) ?? query.values[name]?.[0] ?? def;
}

/** Returns all values, with those from the body before those from the query string, or `null` if there are none. */
export async function formValues(body: FormBody, query: Query): Promise<ValueMap | null> {
  const { values } = await body.form();
  const map = valueMap();
  for (const name in values) map[name] = [...values[name] ?? []];
  for (const name in query.values) map[name] = [...map[name] ?? [], ...query.values[name] ?? []];
  for (const _ in map) return map;
  return null;
}

/** Returns the first value of a body field, or an empty string if it is missing. */
export async function postValue(body: FormBody, name: string): Promise<string> {
  return first(await body.form(), name) ?? "";
}

/** Returns the first value of a body field, or a default if it is missing. */
export async function postValueDefault(body: FormBody, name: string, def: string): Promise<string> {
  return first(await body.form(), name) ?? def;
}

/** Returns the first value of a body field without trailing whitespace. */
export async function postValueTrim(body: FormBody, name: string): Promise<string> {
  return (first(await body.form(), name) ?? "").trimEnd();
}

/** Returns all values of a body field, or an empty array if it is missing. */
export async function postValues(body: FormBody, name: string): Promise<string[]> {
  return all(await body.form(), name)?.slice() ?? [];
}

/** Parses a body field as an integer. Returns -1 and an error if it is missing or invalid. */
export function postValueInt(body: FormBody, name: string): Promise<Parsed<number>> {
  return read(int, body, name);
}

/** Parses a body field as an integer, or returns a default if it is missing or invalid. */
export async function postValueIntDefault(body: FormBody, name: string, def: number): Promise<number> {
  return convertOr(int, first(await body.form(), name), def);
}

/** Parses a body field as a 64-bit integer. Returns -1 and an error if it is missing or invalid. */
export function postValueInt64(body: FormBody, name: string): Promise<Parsed<bigint>> {
  return read(int64, body, name);
}

/** Parses a body field as a 64-bit integer, or returns a default if it is missing or invalid. */
export async function postValueInt64Default(body: FormBody, name: string, def: bigint): Promise<bigint> {
  return convertOr(int64, first(await body.form(), name), def);
}

/** Parses a body field as a number. Returns -1 and an error if it is missing or invalid. */
export function postValueFloat64(body: FormBody, name: string): Promise<Parsed<number>> {
  return read(float64, body, name);
}

/** Parses a body field as a number, or returns a default if it is missing or invalid. */
export async function postValueFloat64Default(body: FormBody, name: string, def: number): Promise<number> {
  return convertOr(float64, first(await body.form(), name), def);
}

/** Parses a body field as a boolean. Returns `false` and an error if it is missing. */
export function postValueBool(body: FormBody, name: string): Promise<Parsed<boolean>> {
  return read(lenientBool, body, name);
}

/** Parses a body field as a boolean, or returns a default if it is missing. */
export async function postValueBoolDefault(body: FormBody, name: string, def: boolean): Promise<boolean> {
  return convertOr(lenientBool, first(await body.form(), name), def);
}

function first(form: Form, name: string): string | undefined {
  return all(form, name)?.[0];
}

function all(form: Form, name: string): readonly string[] | undefined {
  return form.values[checkText(name, "name", "a form field")];
}

async function read<T>(conversion: Conversion<T>, body: FormBody, name: string): Promise<Parsed<T>> {
  let text: string | undefined;
  try {
    text = first(await body.form(), name);
  } catch (error) {
    return [conversion.failed, toError(error)];
  }
  return convert(conversion, text, { kind: "form field", name });
}
