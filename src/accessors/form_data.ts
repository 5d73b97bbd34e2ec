/**
 * Request forms as `FormData`.
 *
 * @module
 */

import type { Body } from "../body/body.ts";

/** Reads a form into a `FormData` object. Fields come before files. */
export async function platformForm(body: Body): Promise<FormData> {
  const { values, files } = await body.form();
  const form = new FormData();
  for (const name in values) for (const value of values[name] ?? []) form.append(name, value);
  for (const file of files) form.append(file.field, file.open());
  return form;
}
