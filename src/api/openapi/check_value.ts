/**
 * Validates JSON values against the subset of JSON Schema that fw's documents use.
 *
 * @module
 */

import type { HostApp } from "../../core/context/extension.ts";
import type { Context } from "../../core/context/context.ts";
import type { Handler } from "../../core/context/handler.ts";
import { isJSONObject } from "../../base/data/plain_object.ts";
import { FrameworkError } from "../../base/errors/errors.ts";
import type { BuiltDocument } from "./document_options.ts";
import { decodePointer, type JSONSchema, listOf } from "./json_schema.ts";

/**
 * Validates a value.
 *
 * @param value The parsed JSON value.
 * @param schema The JSON Schema.
 * @param root The document that references are resolved against.
 * @returns The validation errors, or an empty array if the value is valid.
 */
export function checkValue(value: unknown, schema: unknown, root: unknown): string[] {
  return [...faultsOf(value, schema, { root, at: "#", left: 512 })];
}

interface Place {
  readonly root: unknown;
  /** A JSON pointer to the value. */
  readonly at: string;
  /** The number of references that may still be followed. */
  readonly left: number;
}

function* faultsOf(value: unknown, given: unknown, place: Place): Generator<string> {
  if (given === false) return yield `"${place.at}" must not be present`;
  if (typeof given !== "object" || given === null || place.left === 0) return;
  const schema = given as JSONSchema;
  if (typeof schema["$ref"] === "string") {
    yield* faultsOf(value, resolve(place.root, schema["$ref"]), { ...place, left: place.left - 1 });
  }
  for (const [keyword, check] of Object.entries(keywords)) {
    if (Object.hasOwn(schema, keyword)) yield* check(value, schema[keyword], place, schema);
  }
}

type Keyword = (value: unknown, wanted: unknown, place: Place, schema: JSONSchema) => Generator<string>;

const keywords: Readonly<Record<string, Keyword>> = {
  *type(value, wanted, { at }) {
    const types = Array.isArray(wanted) ? wanted : [wanted];
    if (!types.some((type) => isOfType(value, type))) yield `"${at}" must be of type ${types.join(" or ")}`;
  },
  *enum(value, wanted, { at }) {
    if (!listOf(wanted).some((each) => isSame(each, value))) yield `"${at}" must be one of ${JSON.stringify(wanted)}`;
  },
  *const(value, wanted, { at }) {
    if (!isSame(wanted, value)) yield `"${at}" must be ${JSON.stringify(wanted)}`;
  },
  *allOf(value, wanted, place) {
    for (const part of listOf(wanted)) yield* faultsOf(value, part, place);
  },
  *anyOf(value, wanted, place) {
    if (!listOf(wanted).some((part) => fits(value, part, place))) yield `"${place.at}" must match at least one schema`;
  },
  *oneOf(value, wanted, place) {
    const count = listOf(wanted).filter((part) => fits(value, part, place)).length;
    if (count !== 1) yield `"${place.at}" must match exactly one schema, but matches ${count}`;
  },
  *not(value, wanted, place) {
    if (fits(value, wanted, place)) yield `"${place.at}" must not match the schema`;
  },
  minimum: bound((value, limit) => value >= limit, "at least"),
  maximum: bound((value, limit) => value <= limit, "at most"),
  exclusiveMinimum: bound((value, limit) => value > limit, "more than"),
  exclusiveMaximum: bound((value, limit) => value < limit, "less than"),
  minLength: size("characters", (length, limit) => length < limit, "at least"),
  maxLength: size("characters", (length, limit) => length > limit, "at most"),
  *pattern(value, wanted, { at }) {
    if (typeof value === "string" && !patternOf(String(wanted)).test(value)) yield `"${at}" must match ${wanted}`;
  },
  *required(value, wanted, { at }) {
    if (!isJSONObject(value)) return;
    for (const name of listOf(wanted)) if (!Object.hasOwn(value, String(name))) yield `"${at}/${name}" is missing`;
  },
  *properties(value, wanted, place) {
    if (!isJSONObject(value)) return;
    for (const [name, schema] of Object.entries(Object(wanted))) {
      if (Object.hasOwn(value, name)) yield* faultsOf(value[name], schema, inside(place, name));
    }
  },
  *additionalProperties(value, wanted, place, schema) {
    if (!isJSONObject(value)) return;
    const patterns = Object.keys(Object(schema["patternProperties"])).map(patternOf);
    for (const [name, member] of Object.entries(value)) {
      if (Object.hasOwn(Object(schema["properties"]), name) || patterns.some((each) => each.test(name))) continue;
      yield* faultsOf(member, wanted, inside(place, name));
    }
  },
  *items(value, wanted, place, schema) {
    if (!Array.isArray(value)) return;
    const first = listOf(schema["prefixItems"]).length;
    for (let at = first; at < value.length; at++) yield* faultsOf(value[at], wanted, inside(place, String(at)));
  },
  *prefixItems(value, wanted, place) {
    if (!Array.isArray(value)) return;
    for (const [at, schema] of listOf(wanted).entries()) {
      if (at < value.length) yield* faultsOf(value[at], schema, inside(place, String(at)));
    }
  },
  minItems: size("items", (length, limit) => length < limit, "at least"),
  maxItems: size("items", (length, limit) => length > limit, "at most"),
};

function bound(holds: (value: number, limit: number) => boolean, words: string): Keyword {
  return function* (value, wanted, { at }) {
    if (typeof value === "number" && !holds(value, Number(wanted))) yield `"${at}" must be ${words} ${wanted}`;
  };
}

/** Returns a check of the number of characters or items. */
function size(
  noun: "characters" | "items",
  isWrong: (length: number, limit: number) => boolean,
  words: string,
): Keyword {
  return function* (value, wanted, { at }) {
    const isSized = noun === "items" ? Array.isArray(value) : typeof value === "string";
    if (isSized && isWrong([...value as string].length, Number(wanted))) {
      yield `"${at}" must have ${words} ${wanted} ${noun}`;
    }
  };
}

function fits(value: unknown, schema: unknown, place: Place): boolean {
  return faultsOf(value, schema, place).next().done === true;
}

function isOfType(value: unknown, type: unknown): boolean {
  if (type === "null") return value === null;
  if (type === "array") return Array.isArray(value);
  if (type === "object") return isJSONObject(value);
  if (type === "integer") return Number.isInteger(value);
  const kind: unknown = typeof value;
  return kind === type;
}

function isSame(a: unknown, b: unknown): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}

/**
 * Compiles a JSON Schema pattern. Patterns use the `u` flag, but some libraries emit patterns that are valid only
 * without it.
 */
function patternOf(source: string): RegExp {
  try {
    return new RegExp(source, "u");
  } catch {
    return new RegExp(source);
  }
}

function inside(place: Place, name: string): Place {
  return { ...place, at: `${place.at}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}` };
}

function resolve(root: unknown, reference: string): unknown {
  return reference.slice(2).split("/").reduce<unknown>((found, step) => {
    return Object(found)[decodePointer(step)];
  }, root);
}

/** Adds response validation to all routes when the application is built, if enabled. */
export function enforceResponses(
  app: HostApp,
  complete: () => Promise<BuiltDocument>,
  isWanted: boolean | undefined,
): void {
  if (isWanted === false) return;
  const check = () => {
    if (isWanted ?? app.Configuration().Development) app.UseGlobal(newEnforcer(complete));
  };
  // The build determines whether the application is in development mode.
  app.Install({ Name: "openapi", Many: true, Install: (host) => host.Check("responses", check, "start") });
}

function newEnforcer(complete: () => Promise<BuiltDocument>): Handler {
  return async function enforceReturns(ctx: Context): Promise<void> {
    const recorder = ctx.Recorder();
    await ctx.Next();
    const route = ctx.GetCurrentRoute();
    const body = recorder.Body();
    if (body === null || body.length === 0 || route === undefined || ctx.GetErr() !== undefined) return;
    const { document, operations } = await complete();
    const operation = operations.get(route);
    const media = operation === undefined ? undefined : mediaOf(operation, ctx);
    if (media === undefined) return;
    const [fault] = checkValue(JSON.parse(new TextDecoder().decode(body)), media, document);
    if (fault === undefined) return;
    throw new FrameworkError(
      "FW_RETURN",
      `Cannot respond to "${route.Name}" with ${ctx.GetStatusCode()}: the response does not match its description: ` +
        `${fault}`,
    );
  };
}

/** Returns the schema of a JSON response, if the document has one. */
function mediaOf(operation: Record<string, unknown>, ctx: Context): unknown {
  const status = String(ctx.GetStatusCode());
  const responses = Object(operation["responses"]);
  const response = responses[status] ?? responses[`${status[0]}XX`] ?? responses["default"];
  const type = ctx.GetResponseHeader("content-type").split(";", 1)[0]?.trim() ?? "";
  return /[/+]json$/i.test(type) ? Object(Object(Object(response)["content"])[type])["schema"] : undefined;
}
