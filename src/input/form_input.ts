/**
 * The values of forms and queries by name, unchecked.
 *
 * @module
 */

import type { Body } from "../body/body.ts";
import type { Query } from "./query.ts";

/** What `ReadForm` holds under a name: one value, or a list where the name came several times or ends in `[]`. */
export type FormInput = string | File | (string | File)[];

/** The fields and files of the body by name. */
export async function formInput(body: Body): Promise<Record<string, FormInput>> {
  const form = await body.form();
  const input = inputOf(form.values);
  for (const file of form.files) addInput(input, file.field, file.open());
  return input;
}

/** The parameters of the query by name. */
export function queryInput(query: Query): Record<string, FormInput> {
  return inputOf(query.values);
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
