/**
 * Reads and validates forms that are shown again with their errors. Loaded on first use.
 *
 * @module
 */

import type { Body } from "../../http/body/body.ts";
import { withLists } from "./fit_input.ts";
import { formInput } from "./form_input.ts";
import type { KeepRules } from "./form_options.ts";
import { Form, type FormResult, type InvalidForm, type ValidForm } from "./form_result.ts";
import { keptValues } from "./kept_values.ts";
import { check, type StandardSchema } from "./schema.ts";
import { shapeOf } from "./schema_shape.ts";
import { typedInput } from "./text_input.ts";
import { type TranslateIssue, translateWith, ValidationError } from "./validation_error.ts";

/** The rules for the result of a form. */
export interface FormRules extends KeepRules {
  /** The fields that fw reads itself. */
  readonly own?: readonly string[];
  readonly translate?: TranslateIssue | undefined;
}

/** Reads the body as a form and validates it, without the fields that fw reads itself. */
export async function readFormResult<T>(
  body: Body,
  schema: StandardSchema<T>,
  rules?: FormRules,
): Promise<FormResult<T>> {
  return await checkForm(withLists(await formInput(body), shapeOf(schema), rules?.own), schema, rules);
}

/** Validates the strings and files of a form, converted to the types in its schema. */
export function checkForm<T>(
  input: unknown,
  schema: StandardSchema<T>,
  rules?: FormRules,
): Promise<FormResult<T>> {
  return checkTyped({ input, typed: typedInput(input, shapeOf(schema), "body") }, schema, rules);
}

/** Validates an object as a form. Its strings are not converted. */
export function checkValues<T>(
  input: unknown,
  schema: StandardSchema<T>,
  rules?: FormRules,
): Promise<FormResult<T>> {
  return checkTyped({ input, typed: input }, schema, rules);
}

/** The values of a form as sent, and in the types of its schema. */
interface CheckedInput {
  readonly input: unknown;
  readonly typed: unknown;
}

/** Validates a form. Unlike {@linkcode check}, it does not return an error if the form is invalid. */
async function checkTyped<T>(
  { input, typed }: CheckedInput,
  schema: StandardSchema<T>,
  { translate, ...rules }: FormRules = {},
): Promise<FormResult<T>> {
  // Copy the values first, because the schema may change its input.
  const values = keptValues(input, rules);
  const [value, error] = await check(typed, schema, "body");
  if (error === null) return new Form({ values, output: { value }, translate }) as ValidForm<T>;
  if (!(error instanceof ValidationError)) throw error;
  if (translate !== undefined) translateWith(error, translate);
  return new Form({ values, errors: error.Fields, translate }) as InvalidForm;
}
