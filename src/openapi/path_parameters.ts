/**
 * Path templates in the words of OpenAPI: `/users/{id:int min(1)}` is `/users/{id}` and an integer from 1.
 *
 * @module
 */

import type { ParamSegment, Template } from "../macro/template.ts";
import type { JSONSchema } from "./json_schema.ts";

/** A path as OpenAPI spells it, with the schema of each parameter. */
export interface PathShape {
  /** The path with bare parameter names. */
  readonly path: string;
  /** The path with nameless parameters: OpenAPI takes two paths of one shape for the same. */
  readonly shape: string;
  /** The parameters, in order. */
  readonly parameters: readonly PathParameter[];
}

/** One parameter of a path. */
export interface PathParameter {
  /** Its name in the document. */
  readonly name: string;
  /** Its name in the path template, which may be another one if two routes share a path of the document. */
  readonly ownName: string;
  readonly schema: JSONSchema;
  /** Reports whether the value may hold slashes. */
  readonly isTrailing: boolean;
  /** The status of a value that does not fit. */
  readonly elseCode: number;
}

/** The schema of a type of the application's own that does not say what it is. */
const text: JSONSchema = { type: "string" };

/** What each function adds, for numbers and for texts. */
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

/** Describes a path template. */
export function describePath(template: Template): PathShape {
  const parts = template.segments.map((segment) => segment.kind === "static" ? encodeURI(segment.text) : segment);
  const parameters = parts.filter((part) => typeof part !== "string").map(describeParameter);
  return {
    path: "/" + parts.map((part) => typeof part === "string" ? part : `{${part.name}}`).join("/"),
    shape: "/" + parts.map((part) => typeof part === "string" ? part : "{}").join("/"),
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

/** The functions of a parameter, read back from its key, which spells them with their arguments as JSON. */
function demandsOf(segment: ParamSegment): JSONSchema[] {
  const isNumber = segment.type.Schema?.["type"] === "integer";
  return [...segment.key.matchAll(/ (\w+)\(((?:"(?:[^"\\]|\\.)*"|[^()"])*)\)/g)].map(([, name = "", args = ""]) => {
    const demand = Object.hasOwn(functions, name) ? functions[name] : undefined;
    return demand === undefined ? {} : demand(readArguments(args), isNumber);
  });
}

function readArguments(text: string): unknown[] {
  try {
    const values: unknown = JSON.parse(`[${text}]`);
    return Array.isArray(values) ? values : [];
  } catch {
    // A function of the application's own may spell its key as it likes.
    return [];
  }
}

/** Joins two demands: the tighter bound counts, and of two patterns both do. */
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

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function escaped(text: unknown): string {
  return String(text).replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
}
