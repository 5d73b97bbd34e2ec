/**
 * Describes path, query and header parameters.
 *
 * @module
 */

import type { RouteInput } from "../../core/app/record/route_description.ts";
import { acceptsNoItems, type JSONSchema, listOf, resolveOwn, withItems, withoutAbsent } from "./json_schema.ts";
import { type OperationSources, useOf } from "./operation_sources.ts";
import type { PathParameter } from "./path_parameters.ts";

/** A member of an object schema. */
interface Member {
  readonly name: string;
  readonly schema: JSONSchema;
  readonly isRequired: boolean;
}

/** Headers that OpenAPI describes elsewhere. It ignores parameters with these names. */
const ignoredHeaders: ReadonlySet<string> = new Set(["accept", "content-type", "authorization"]);

/** Describes a route's parameters. Returns `undefined` if it has none. */
export function describeParameters(sources: OperationSources): unknown[] | undefined {
  const { Inputs: inputs } = sources.record.route;
  const checked = inputs.filter(({ Kind }) => Kind === "Params").flatMap((input) => membersOf(sources, input));
  const path = sources.shape.parameters.map((parameter) => pathParameter(parameter, checked));
  const others = inputs.flatMap((input) => {
    if (input.Kind === "Query") return [...named(sources, input, "query"), ...freeForm(sources, input)];
    return input.Kind === "Header" ? named(sources, input, "header") : [];
  });
  const all = [...path, ...withoutRepeated(others)];
  return all.length === 0 ? undefined : all;
}

/** Describes a path parameter by its type and, if present, its `mvc.Params` schema. */
function pathParameter(parameter: PathParameter, checked: readonly Member[]): Record<string, unknown> {
  const { name, isTrailing } = parameter;
  const said = checked.find((member) => member.name === parameter.ownName)?.schema;
  const description = isTrailing ? "The rest of the path, including slashes" : textOf(said, "description");
  const schema = said === undefined ? parameter.schema : joined(parameter.schema, said);
  return withoutAbsent({ name, in: "path", required: true, description, schema });
}

/**
 * Combines both schemas. The plain string schema of an untyped parameter is dropped. The bounds of a number also apply
 * to an integer. The schema is ignored only if it reads the text of a number as a string.
 */
function joined(typed: JSONSchema, said: JSONSchema): JSONSchema {
  if (Object.keys(typed).length === 1 && typed["type"] === "string") return said;
  const { type } = said;
  if (type === undefined || type === typed["type"]) return { allOf: [typed, said] };
  if (type !== "number" || typed["type"] !== "integer") return typed;
  const { type: _, ...bounds } = said;
  return Object.keys(bounds).length === 0 ? typed : { allOf: [typed, bounds] };
}

function named(sources: OperationSources, input: RouteInput, place: "query" | "header"): Record<string, unknown>[] {
  return membersOf(sources, input)
    .filter(({ name }) => place !== "header" || !ignoredHeaders.has(name.toLowerCase()))
    .map(({ name, schema, isRequired: isSaid }) => {
      const isRequired = isSaid && !(place === "query" && acceptsNoItems(schema));
      return withoutAbsent({
        name,
        in: place,
        required: isRequired || undefined,
        description: textOf(schema, "description"),
        deprecated: schema["deprecated"] === true || undefined,
        schema: isRequired ? withItems(schema) : schema,
      });
    });
}

/** Describes a query schema that accepts arbitrary names as one exploded object parameter. */
function freeForm(sources: OperationSources, input: RouteInput): Record<string, unknown>[] {
  const schema = readInput(sources, input);
  const items = resolveOwn(schema)["additionalProperties"];
  if (typeof items !== "object" || items === null) return [];
  const object = { type: "object", additionalProperties: { ...items } };
  return [{
    name: "query",
    in: "query",
    style: "form",
    explode: true,
    schema: placeMember(sources, object, schema, ""),
  }];
}

/** Returns the members of an object schema, including those of unions and intersections. */
function membersOf(sources: OperationSources, input: RouteInput): Member[] {
  const root = readInput(sources, input);
  return collect(root, root).map((member) => ({
    ...member,
    schema: placeMember(sources, member.schema, root, member.name),
  }));
}

function readInput({ schemas, record }: OperationSources, input: RouteInput): JSONSchema {
  return schemas.read(input.Schema, "input", `the ${input.Kind} of "${record.route.Name}"`);
}

function collect(given: JSONSchema, root: JSONSchema): Member[] {
  const schema = resolveOwn(given, root);
  const required = new Set(Array.isArray(schema["required"]) ? schema["required"] : []);
  const own = Object.entries(Object(schema["properties"])).map(([name, member]): Member => ({
    name,
    schema: Object(member),
    isRequired: required.has(name),
  }));
  const all = listOf(schema["allOf"]).map((part) => collect(part, root));
  const options = listOf(schema["anyOf"] ?? schema["oneOf"]).filter((option) => option["type"] !== "null");
  const either = options.length === 0 ? [] : eitherOf(options.map((option) => collect(option, root)));
  return [own, ...all, either].reduce((found, more) => [
    ...found,
    ...more.filter(({ name }) => !found.some((member) => member.name === name)),
  ]);
}

/**
 * Merges the members of a union. A member is required if all alternatives require it, and its type can be the type in
 * any of them.
 */
function eitherOf(options: readonly (readonly Member[])[]): Member[] {
  const names = new Set(options.flatMap((members) => members.map(({ name }) => name)));
  return [...names].map((name) => {
    const found = options.map((members) => members.find((member) => member.name === name));
    const schemas = new Map(
      found.flatMap((member) => member === undefined ? [] : [[JSON.stringify(member.schema), member.schema]]),
    );
    const [first = {}, ...others] = schemas.values();
    return {
      name,
      schema: others.length === 0 ? first : { anyOf: [first, ...others] },
      isRequired: found.every((member) => member?.isRequired === true),
    };
  });
}

/** Adds a member's schema together with the definitions that it may refer to. */
function placeMember(
  sources: OperationSources,
  member: JSONSchema,
  root: JSONSchema,
  name: string,
): JSONSchema {
  const { $defs } = root;
  return sources.schemas.components.place($defs === undefined ? member : { ...member, $defs }, useOf(sources, name));
}

/** Removes duplicate parameters. If two inputs read the same name, the first is documented. */
function withoutRepeated(parameters: readonly Record<string, unknown>[]): Record<string, unknown>[] {
  const seen = new Set<string>();
  return parameters.filter((parameter) => {
    const key = `${parameter["in"]} ${String(parameter["name"]).toLowerCase()}`;
    return seen.has(key) ? false : seen.add(key);
  });
}

function textOf(schema: JSONSchema | undefined, key: string): string | undefined {
  const text = schema?.[key];
  return typeof text === "string" ? text : undefined;
}
