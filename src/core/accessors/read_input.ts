/**
 * Reads whole request bodies and query strings and validates them if a schema is given.
 *
 * @module
 */

import type { Body } from "../../http/body/body.ts";
import { flag } from "../../base/config/option_kinds.ts";
import { optionTable, readOptions } from "../../base/config/option_table.ts";
import type { Result } from "../../base/errors/errors.ts";
import { toError } from "../../base/errors/to_error.ts";
import { withBigints, withLists } from "./fit_input.ts";
import { formInput, queryInput } from "./form_input.ts";
import type { FormRules } from "./form_check.ts";
import { keptValues } from "./kept_values.ts";
import type { Query } from "./query.ts";
import { type StandardSchema, validate } from "./schema.ts";
import { shapeOf, takesBigint } from "./schema_shape.ts";
import { typedInput } from "./text_input.ts";
import { type InputPlace, keepValues, ValidationError } from "./validation_error.ts";

/** Options for reading JSON. */
export interface JSONOptions {
  /**
   * Whether to accept a body with any content type, or with none. By default only JSON content types are accepted,
   * because a page on another site can make a browser send JSON as `text/plain`, with the user's cookies and without a
   * preflight request.
   *
   * @default {false}
   */
  AnyType?: boolean;
}

const table = optionTable<JSONOptions>("JSONOptions", "reading the body")({ AnyType: flag(false) });

/** Reports whether any content type is accepted. */
export function takesAnyType(options: JSONOptions): boolean {
  return readOptions(table, options).AnyType;
}

/** Parses the body as JSON. */
export function readJSON<T>(body: Body, schema?: StandardSchema<T>, options: JSONOptions = {}): Promise<Result<T>> {
  const isAnyType = takesAnyType(options);
  return read(async () => {
    const value = await body.json({ isAnyType });
    const shape = schema === undefined ? undefined : shapeOf(schema);
    return shape !== undefined && takesBigint(shape) ? withBigints(await body.losslessJSON(), shape) : value;
  }, schema);
}

/** Returns the body's fields and files by name. */
export async function readForm<T>(body: Body, schema?: StandardSchema<T>, rules?: FormRules): Promise<Result<T>> {
  let input: unknown;
  const result = await read(async () => {
    const form = await formInput(body);
    if (schema === undefined) return form;
    input = withLists(form, shapeOf(schema), rules?.own);
    return typedInput(input, shapeOf(schema), "body");
  }, schema);
  if (result[1] instanceof ValidationError) keepValues(result[1], keptValues(input, rules));
  return result;
}

/**
 * Returns the query parameters by name.
 *
 * @param query The query string.
 * @param schema The schema.
 * @param own The parameters that fw reads itself.
 */
export function readQuery<T>(
  query: Query,
  schema?: StandardSchema<T>,
  own: readonly string[] = [],
): Promise<Result<T>> {
  return read(
    () => {
      const input = queryInput(query);
      if (schema === undefined) return input;
      const shape = shapeOf(schema);
      return typedInput(withLists(input, shape, own), shape, "query");
    },
    schema,
    "query",
  );
}

async function read<T>(
  take: () => unknown,
  schema: StandardSchema<T> | undefined,
  place: InputPlace = "body",
): Promise<Result<T>> {
  let input: unknown;
  try {
    input = await take();
  } catch (error) {
    return [undefined, toError(error)];
  }
  return await validate(input, schema, place);
}
