/**
 * The fields of a form: "post" is the body, "form" the body and the query.
 *
 * @module
 */

import { type Conversion, convert, convertOr, float64, int, int64, lenientBool } from "../base/convert.ts";
import type { Parsed } from "../base/errors.ts";
import { toError } from "../base/to_error.ts";
import type { Body } from "../body/body.ts";
import type { Form } from "../body/form.ts";
import { type ValueMap, valueMap } from "../http/urlencoded.ts";
import type { Query } from "./query.ts";

/** The first value of a name, from the body, then from the query; empty when it is absent. */
export async function formValue(body: Body, query: Query, name: string): Promise<string> {
  return first(await body.form(), name) ?? query.values[name]?.[0] ?? "";
}

/** The first value of a name, from the body, then from the query, or another text when it is absent. */
export async function formValueDefault(body: Body, query: Query, name: string, def: string): Promise<string> {
  return first(await body.form(), name) ?? query.values[name]?.[0] ?? def;
}

/** All values, those of the body before those of the query; `null` when there is none. */
export async function formValues(body: Body, query: Query): Promise<ValueMap | null> {
  const { values } = await body.form();
  const map = valueMap();
  for (const name in values) map[name] = [...values[name] ?? []];
  for (const name in query.values) map[name] = [...map[name] ?? [], ...query.values[name] ?? []];
  for (const _ in map) return map;
  return null;
}

/** The first value of a body field; empty when it is absent. */
export async function postValue(body: Body, name: string): Promise<string> {
  return first(await body.form(), name) ?? "";
}

/** The first value of a body field, or another text when it is absent. */
export async function postValueDefault(body: Body, name: string, def: string): Promise<string> {
  return first(await body.form(), name) ?? def;
}

/** The first value of a body field without the spaces at its end. */
export async function postValueTrim(body: Body, name: string): Promise<string> {
  return (first(await body.form(), name) ?? "").trimEnd();
}

/** All values of a body field, none when it is absent. */
export async function postValues(body: Body, name: string): Promise<string[]> {
  return (await body.form()).values[name]?.slice() ?? [];
}

/** A body field as an integer; -1 and an error when it is absent or none. */
export function postValueInt(body: Body, name: string): Promise<Parsed<number>> {
  return read(int, body, name);
}

/** A body field as an integer, or another one. */
export async function postValueIntDefault(body: Body, name: string, def: number): Promise<number> {
  return convertOr(int, first(await body.form(), name), def);
}

/** A body field as an integer of 64 bits; -1 and an error when it is absent or none. */
export function postValueInt64(body: Body, name: string): Promise<Parsed<bigint>> {
  return read(int64, body, name);
}

/** A body field as an integer of 64 bits, or another one. */
export async function postValueInt64Default(body: Body, name: string, def: bigint): Promise<bigint> {
  return convertOr(int64, first(await body.form(), name), def);
}

/** A body field as a number; -1 and an error when it is absent or none. */
export function postValueFloat64(body: Body, name: string): Promise<Parsed<number>> {
  return read(float64, body, name);
}

/** A body field as a number, or another one. */
export async function postValueFloat64Default(body: Body, name: string, def: number): Promise<number> {
  return convertOr(float64, first(await body.form(), name), def);
}

/** A body field as a boolean; false and an error when it is absent. */
export function postValueBool(body: Body, name: string): Promise<Parsed<boolean>> {
  return read(lenientBool, body, name);
}

/** A body field as a boolean, or another one when it is absent. */
export async function postValueBoolDefault(body: Body, name: string, def: boolean): Promise<boolean> {
  return convertOr(lenientBool, first(await body.form(), name), def);
}

function first(form: Form, name: string): string | undefined {
  return form.values[name]?.[0];
}

async function read<T>(conversion: Conversion<T>, body: Body, name: string): Promise<Parsed<T>> {
  let text: string | undefined;
  try {
    text = first(await body.form(), name);
  } catch (error) {
    return [conversion.failed, toError(error)];
  }
  return convert(conversion, text, { kind: "form field", name });
}
