/**
 * Reads the input shapes of zod schemas.
 *
 * JSON Schema is not enough: `zod/mini` publishes none, and zod's own leaves bigints, dates and sets open and describes
 * the output of `preprocess` in place of its input. `_zod.def` is the definition of a schema, and zod exports the type
 * of every definition for packages that read it (`$ZodTypes` of `zod/v4/core`). No other field is read, except `optin`.
 *
 * @module
 */

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
  typeOf,
} from "./input_shapes.ts";

/**
 * The shapes of zod's types, by the `type` of the definition. Each row reads the members that define the type: the
 * schemas that it contains, the values that it accepts, or the formats of a string.
 */
const types: Readonly<Record<string, (def: Fields, look: Look) => SchemaShape>> = {
  object: (def, look) => withRest(objectOf(def["shape"], look), def["catchall"], look),
  array: (def, look) => listOf(look(def["element"])),
  set: (def, look) => ({ ...listOf(look(def["valueType"])), isSet: true }),
  tuple: (def, look) => listOf(def["rest"] ? look(def["rest"]) : open, arrayOf(def["items"]).map(look)),
  record: (def, look) => recordOf(look(def["valueType"])),
  // A coerced bigint accepts numbers, too.
  bigint: (def) => ({ ...otherType("bigint") ?? open, isBigint: def["coerce"] !== true }),
  lazy: (def, look) => look((def["getter"] as () => unknown)()),
  pipe: pipeOf,
  string: (def) => stringOf(formatsOf(def)),
  enum: (def) => choiceOf(Object.values(fieldsOf(def["entries"]))),
  literal: (def) => choiceOf(arrayOf(def["values"])),
  union: (def, look) => oneOf(def["options"], look),
  intersection: (def, look) => allOf([def["left"], def["right"]], look),
  nullable: (def, look) => nullableOf(look(def["innerType"])),
};

/** Reads the shape of a schema from zod 4. */
export function readZod(schema: Fields, look: Look): SchemaShape {
  const core = fieldsOf(schema["_zod"] ?? schema);
  const def = fieldsOf(core["def"]);
  const type = String(def["type"]);
  const read = Object.hasOwn(types, type) ? types[type] : undefined;
  const shape = read?.(def, look) ?? otherType(type) ?? look(def["innerType"]);
  // Whether the input may be omitted, which no definition tells: "optional" or, in later versions, "defaulted".
  return core["optin"] === undefined ? shape : { ...shape, isOptional: true };
}

function withRest(shape: SchemaShape, rest: unknown, look: Look): SchemaShape {
  return rest === undefined ? shape : { ...shape, items: look(rest) };
}

function pipeOf(def: Fields, look: Look): SchemaShape {
  // The input of `preprocess` is not described by the schema.
  if (typeOf(fieldsOf(def["in"])) === "transform") return open;
  const input = look(def["in"]);
  // A string that is converted to a boolean, as by `stringbool`, must not be empty.
  return { ...input, isText: input.isText && look(def["out"]).isText };
}

/** Returns the format of a string, as in `z.email()`, and those of its checks, as in `z.string().check(z.email())`. */
function formatsOf(def: Fields): unknown[] {
  const checks = arrayOf(def["checks"]).map((check) => fieldsOf(fieldsOf(fieldsOf(check)["_zod"])["def"]));
  return [def, ...checks].map(({ format }) => format);
}
