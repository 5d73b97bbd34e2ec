/**
 * Converts path templates. For example, `/users/{id:int min(1)}` becomes `/users/{id}` with an integer parameter of at
 * least 1.
 *
 * @module
 */

import { keyOf, type ParamSegment, type Template } from "../../http/parameter_types/template.ts";
import { type JSONSchema, listOf } from "./json_schema.ts";

/** An OpenAPI path and its parameters. */
export interface PathShape {
  /** The path with plain parameter names. */
  readonly path: string;
  /** The path with unnamed parameters. OpenAPI considers two paths with the same shape identical. */
  readonly shape: string;
  /** The parameters, in order. */
  readonly parameters: readonly PathParameter[];
}

/** A path parameter. */
export interface PathParameter {
  /** The parameter's name in the document. */
  readonly name: string;
  /** The parameter's name in the path template. The names differ if two routes share a path. */
  readonly ownName: string;
  readonly schema: JSONSchema;
  /** Whether the value may contain slashes. */
  readonly isTrailing: boolean;
  /** The status code for an invalid value. */
  readonly elseCode: number;
}

/** The schema of custom parameter types without a schema. */
const text: JSONSchema = { type: "string" };

/** The JSON Schema keywords for each parameter function, for numbers and for strings. */
const functions: Readonly<Record<string, (args: readonly unknown[], isNumber: boolean) => JSONSchema>> = {
  min: ([low], isNumber) => isNumber ? { minimum: low } : { minLength: low },
  max: ([high], isNumber) => isNumber ? { maximum: high } : { maxLength: high },
  range: ([low, high]) => ({ minimum: low, maximum: high }),
  prefix: ([text]) => ({ pattern: `^${escaped(text)}` }),
  suffix: ([text]) => ({ pattern: `${escaped(text)}$` }),
  contains: ([text]) => ({ pattern: escaped(text) }),
  regexp: ([source]) => ({ pattern: `^(?:${source})$` }),
  eq: ([text]) => ({ const: text }),
  eqor: (texts) => ({ enum: texts }),
};

/** Converts a path template. */
export function describePath(template: Template): PathShape {
  const parts = template.segments.map((segment) => segment.kind === "static" ? encodeURI(segment.text) : segment);
  const parameters = parts.filter((part) => typeof part !== "string").map(describeParameter);
  return {
    path: "/" +
      parts.map((part) => typeof part === "string" ? part : `{${part.name}}${encodeURI(part.suffix)}`).join("/"),
    shape: "/" + parts.map((part) => typeof part === "string" ? part : `{}${encodeURI(part.suffix)}`).join("/"),
    parameters,
  };
}

function describeParameter(segment: ParamSegment): PathParameter {
  const schema = [{ ...segment.type.Schema ?? text }, ...demandsOf(segment)].reduce(narrow);
  return {
    name: segment.name,
    ownName: segment.name,
    schema,
    isTrailing: segment.trailing,
    elseCode: segment.elseCode,
  };
}

/** Parses the functions of a parameter from its key, which contains their arguments as JSON. */
function demandsOf(segment: ParamSegment): JSONSchema[] {
  const isNumber = segment.type.Schema?.["type"] === "integer";
  return [...keyOf(segment).matchAll(/ (\w+)\(((?:"(?:[^"\\]|\\.)*"|[^()"])*)\)/g)].map(([, name = "", args = ""]) => {
    const demand = Object.hasOwn(functions, name) ? functions[name] : undefined;
    return demand === undefined ? {} : demand(readArguments(args), isNumber);
  });
}

function readArguments(text: string): unknown[] {
  try {
    const values: unknown = JSON.parse(`[${text}]`);
    return Array.isArray(values) ? values : [];
  } catch {
    // Custom functions may use any format for their key.
    return [];
  }
}

/** Merges two constraints. The tighter bound applies, and if there are two patterns, both must match. */
function narrow(schema: JSONSchema, demand: JSONSchema): JSONSchema {
  const clashes = Object.keys(demand).filter((key) => Object.hasOwn(schema, key));
  if (clashes.length === 0) return { ...schema, ...demand };
  const joined = { ...schema, ...demand };
  for (const key of clashes) {
    const [a, b] = [schema[key], demand[key]];
    if (typeof a !== "number" || typeof b !== "number") {
      return { ...schema, allOf: [...listOf(schema["allOf"]), demand] };
    }
    joined[key] = key.startsWith("min") ? Math.max(a, b) : Math.min(a, b);
  }
  return joined;
}

function escaped(text: unknown): string {
  return String(text).replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
}
