/**
 * The routes of an application as the `paths` of a document.
 *
 * @module
 */

import type { RouteRecord } from "../app/registry.ts";
import type { RouteDescription } from "../app/route_description.ts";
import type { Components } from "./components.ts";
import type { SchemaConverter } from "./json_schema.ts";
import { describeOperation, type Operation } from "./operation.ts";
import { describePath, type PathShape } from "./path_parameters.ts";

/** What the paths of a document are built from. */
export interface PathSources {
  readonly records: readonly RouteRecord[];
  readonly components: Components;
  /** What the source files say of a route. */
  readonly documented: (record: RouteRecord) => RouteDescription;
  readonly convert: SchemaConverter | undefined;
}

type PathItem = Record<string, Operation>;

/** The methods that a path of a document can have; CONNECT and methods of one's own are not among them. */
const methods: ReadonlySet<string> = new Set(["GET", "PUT", "POST", "DELETE", "OPTIONS", "HEAD", "PATCH", "TRACE"]);

/** Builds the paths, in the order of registration. */
export function buildPaths(sources: PathSources): Record<string, PathItem> {
  const paths: Record<string, PathItem> = {};
  const byShape = new Map<string, PathShape>();
  const ids = new Set<string>();
  for (const record of sources.records) {
    const { route } = record;
    if (!methods.has(route.Method) || route.Description.Hidden === true) continue;
    const own = describePath(record.template);
    const first = byShape.get(own.shape) ?? own;
    byShape.set(own.shape, first);
    const item = paths[first.path] ??= {};
    const operation = describeOperation({
      record,
      shape: renamed(own, first),
      id: uniqueID(record, ids),
      components: sources.components,
      documented: sources.documented(record),
      convert: sources.convert,
    });
    const key = route.Method.toLowerCase();
    const before = item[key];
    item[key] = before === undefined ? operation : merged(before, operation);
  }
  return paths;
}

/**
 * Gives a path the parameter names of an earlier one of its shape: to OpenAPI `/{id}` and `/{name}` are one path, while
 * fw tells `/{id:int}` from `/{name}`.
 */
function renamed(own: PathShape, first: PathShape): PathShape {
  const parameters = own.parameters.map((parameter, at) => ({
    ...parameter,
    name: first.parameters[at]?.name ?? parameter.name,
  }));
  return { ...own, path: first.path, parameters };
}

/** Two routes that differ in their parameter types only, as one operation that takes either. */
function merged(a: Operation, b: Operation): Operation {
  const summary = [a["summary"], b["summary"]].filter((text) => text !== undefined).join(" / ");
  return {
    ...b,
    ...a,
    ...summary === "" ? {} : { summary },
    parameters: mergedParameters(listOf(a["parameters"]), listOf(b["parameters"])),
    responses: { ...Object(b["responses"]), ...Object(a["responses"]) },
  };
}

function mergedParameters(a: readonly Parameter[], b: readonly Parameter[]): readonly Parameter[] {
  const joined = a.map((parameter) => {
    const other = b.find((candidate) => candidate.in === parameter.in && candidate.name === parameter.name);
    if (other === undefined) return parameter.in === "path" ? parameter : { ...parameter, required: false };
    if (JSON.stringify(other.schema) === JSON.stringify(parameter.schema)) return parameter;
    return { ...parameter, schema: { anyOf: [parameter.schema, other.schema] } };
  });
  const known = new Set(a.map((parameter) => `${parameter.in} ${parameter.name}`));
  const added = b.filter((parameter) => !known.has(`${parameter.in} ${parameter.name}`));
  return [...joined, ...added.map((parameter) => ({ ...parameter, required: false }))];
}

interface Parameter {
  readonly in: string;
  readonly name: string;
  readonly schema: unknown;
}

function listOf(value: unknown): readonly Parameter[] {
  return Array.isArray(value) ? value : [];
}

/** A name for generated code: the controller and its method, a name that was given, or method and path. */
function uniqueID(record: RouteRecord, taken: Set<string>): string {
  const { route } = record;
  const isNamed = route.Name !== `${route.Method} ${route.Subdomain}${route.Path}`;
  const base = isNamed
    ? route.Name
    : route.Controller !== undefined
    ? `${route.Controller}_${route.Action}`
    : [route.Method.toLowerCase(), ...route.Path.replace(/:[^}]*/g, "").match(/\w+/g) ?? []].join("_");
  let id = base;
  for (let at = 2; taken.has(id); at++) id = `${base}_${at}`;
  taken.add(id);
  return id;
}
