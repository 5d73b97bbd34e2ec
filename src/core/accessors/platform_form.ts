/**
 * Forms as `FormData` objects.
 *
 * @module
 */

import type { FormBody } from "./form_values.ts";

/** Reads a form into a `FormData` object. Fields come before files. */
export async function platformForm(body: FormBody): Promise<FormData> {
  const { values, files } = await body.form();
  const form = new FormData();
  for (const name in values) for (const value of values[name] ?? []) form.append(name, value);
  for (const file of files) form.append(file.field, file.open());
  return form;
}
