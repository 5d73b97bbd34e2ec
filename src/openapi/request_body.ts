/**
 * Describes request bodies.
 *
 * @module
 */

import { withoutAbsent } from "./absent.ts";
import { examplesOf } from "./examples.ts";
import { acceptsNoItems, isOptional, type JSONSchema } from "./json_schema.ts";
import type { OperationSources } from "./operation_sources.ts";

/** Describes a route's request body. Returns `undefined` if the route does not read one. */
export function describeBody(sources: OperationSources): Record<string, unknown> | undefined {
  const { record, schemas, id, said } = sources;
  const content: Record<string, unknown> = {};
  let isRequired = false;
  for (const { Kind, Schema } of record.route.Inputs) {
    if (Kind !== "Body" && Kind !== "Form") continue;
    const written = schemas.read(Schema, "input", `the ${Kind} of "${record.route.Name}"`);
    const found = Kind === "Form" ? formOf(written) : written;
    const placed = schemas.components.place(found, `${id}_${Kind}`);
    const media = { schema: placed, ...examplesOf(said.Examples) };
    for (const type of Kind === "Form" ? formTypesOf(found) : ["application/json"]) content[type] = media;
    isRequired ||= Kind === "Body" ? !isOptional(Schema) : hasRequired(found);
  }
  return Object.keys(content).length === 0 ? undefined : withoutAbsent({ required: isRequired || undefined, content });
}

/** Adapts a schema to forms. A form is always an object, and it omits empty arrays. */
function formOf(schema: JSONSchema): JSONSchema {
  if (Object.keys(schema).length === 0) return { type: "object" };
  const { properties, required } = schema;
  if (typeof properties !== "object" || properties === null || !Array.isArray(required)) return schema;
  const members = properties as Readonly<Record<string, JSONSchema>>;
  const { required: _, ...others } = schema;
  const needed = required.filter((name) => !acceptsNoItems(members[name] ?? {}));
  return needed.length === 0 ? others : { ...schema, required: needed };
}

/** Reports whether a form has required fields. A form without any is optional. */
function hasRequired(schema: JSONSchema): boolean {
  return JSON.stringify(schema).includes('"required":[');
}

/** Returns the content types of a form. Files can be sent only as multipart. */
function formTypesOf(schema: JSONSchema): readonly string[] {
  const isFile = JSON.stringify(schema).includes('"format":"binary"');
  return isFile ? ["multipart/form-data"] : ["application/x-www-form-urlencoded", "multipart/form-data"];
}
