/**
 * Detects the types in schemas from zod, valibot, arktype and other libraries.
 *
 * The strings in a query, a form or a header do not distinguish a number from a string or an array with one item from a
 * single value, and JSON does not distinguish a bigint from a number. A form also omits an empty array and sends an
 * empty string for an omitted number. Only the schema makes the difference.
 *
 * @module
 */

import { checkArgument } from "../../base/config/option_table.ts";
import { readByJSONSchema } from "./json_schema_shape.ts";
import { schemaOption, type StandardSchema } from "./schema.ts";
import { type Fields, type Look, open, type Reader, type SchemaShape } from "./input_shapes.ts";
import { readValibot } from "./valibot_shape.ts";
import { readZod } from "./zod_shape.ts";

const vendors: Readonly<Record<string, Reader>> = { zod: readZod, valibot: readValibot };
const shapes = new WeakMap<object, SchemaShape>();

/**
 * Reads the input shape of a schema. Each schema is read once.
 *
 * @param schema A schema from any library that implements Standard Schema.
 * @returns The input shape. The shape is unknown if the library is not supported and cannot generate JSON Schema.
 */
export function shapeOf(schema: StandardSchema): SchemaShape {
  let shape = shapes.get(schema);
  if (shape === undefined) {
    checkArgument(schema, schemaOption(), "schema", "a reader");
    const vendor = schema["~standard"].vendor;
    const read = Object.hasOwn(vendors, vendor) ? vendors[vendor] : undefined;
    shapes.set(schema, shape = look(read ?? ((fields) => readByJSONSchema(fields)), new Set())(schema));
  }
  return shape;
}

/** Reports whether a schema accepts a bigint anywhere. */
export function takesBigint(shape: SchemaShape): boolean {
  return shape.isBigint || (shape.items !== undefined && takesBigint(shape.items)) ||
    (shape.parts ?? []).some(takesBigint) || [...shape.members.values()].some(takesBigint);
}

function look(read: Reader, above: ReadonlySet<unknown>): Look {
  return (schema) => {
    if ((typeof schema !== "object" && typeof schema !== "function") || schema === null || above.has(schema)) {
      return open;
    }
    // Other versions of a library may use different fields. If the shape cannot be read, it is treated as unknown and
    // the schema alone decides.
    try {
      return read(schema as Fields, look(read, new Set([...above, schema])));
    } catch {
      return open;
    }
  };
}
