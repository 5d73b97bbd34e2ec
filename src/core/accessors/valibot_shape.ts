/**
 * Reads the input shapes of valibot schemas.
 *
 * A schema of valibot is a plain object without JSON Schema. Only a separate package adds it, and not for bigints,
 * dates and sets. The members that are read here are those of valibot's exported types, such as `ObjectSchema.entries`.
 *
 * @module
 */

import { readByJSONSchema } from "./json_schema_shape.ts";
import {
  allOf,
  arrayOf,
  choiceOf,
  type Fields,
  fieldsOf,
  listOf,
  type Look,
  nullableOf,
  objectOf,
  oneOf,
  open,
  otherType,
  recordOf,
  type SchemaShape,
  stringOf,
} from "./input_shapes.ts";

/**
 * The shapes of valibot's types, by the `type` of the schema. Each row reads the members that define the type: the
 * schemas that it contains, the values that it accepts, or the steps of its pipe.
 */
const types: Readonly<Record<string, (schema: Fields, look: Look) => SchemaShape>> = {
  optional: omittable,
  undefinedable: omittable,
  "exact_optional": omittable,
  nullish: (schema, look) => nullableOf(omittable(schema, look)),
  nullable: (schema, look) => nullableOf(look(schema["wrapped"])),
  picklist: (schema) => choiceOf(arrayOf(schema["options"])),
  enum: (schema) => choiceOf(arrayOf(schema["options"])),
  literal: (schema) => choiceOf([schema["literal"]]),
  string: (schema) => stringOf(arrayOf(schema["pipe"]).slice(1).map((step) => fieldsOf(step)["type"])),
  array: (schema, look) => listOf(look(schema["item"])),
  set: (schema, look) => ({ ...listOf(look(schema["value"])), isSet: true }),
  record: (schema, look) => recordOf(look(schema["value"])),
  union: (schema, look) => oneOf(schema["options"], look),
  variant: (schema, look) => oneOf(schema["options"], look),
  intersect: (schema, look) => allOf(arrayOf(schema["options"]), look),
  lazy: (schema, look) => look((schema["getter"] as (input: unknown) => unknown)(undefined)),
};

/** Reads the shape of a schema from valibot. */
export function readValibot(schema: Fields, look: Look): SchemaShape {
  if (schema["type"] === undefined) return readWrapped(schema, look);
  const type = String(schema["type"]);
  const read = Object.hasOwn(types, type) ? types[type] : undefined;
  const shape = read?.(schema, look) ?? otherType(type);
  if (shape !== undefined) return shape;
  const rest = schema["rest"] === undefined || schema["rest"] === null ? undefined : look(schema["rest"]);
  if (schema["entries"] !== undefined) return { ...objectOf(schema["entries"], look), items: rest };
  if (/(?:^|_)tuple(?:_|$)/.test(type)) return listOf(rest ?? open, arrayOf(schema["items"]).map(look));
  return look(schema["wrapped"]);
}

function omittable(schema: Fields, look: Look): SchemaShape {
  return { ...look(schema["wrapped"]), isOptional: true };
}

/**
 * Reads a schema that `toStandardJsonSchema` has wrapped. The wrapper has no fields, but its converter passes every
 * schema to `overrideSchema`, and the wrapped schema last.
 */
function readWrapped(schema: Fields, look: Look): SchemaShape {
  let wrapped: unknown;
  const overrideSchema = ({ valibotSchema }: { readonly valibotSchema?: unknown }) => {
    wrapped = valibotSchema;
  };
  const shape = readByJSONSchema(schema, { errorMode: "ignore", overrideSchema });
  return wrapped === undefined ? shape : look(wrapped);
}
