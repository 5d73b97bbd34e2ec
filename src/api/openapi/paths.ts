/**
 * Builds the `paths` object of a document.
 *
 * @module
 */

import type { RouteRecord } from "../../core/app/record/registry.ts";
import type { RouteDescription } from "../../core/app/record/route_description.ts";
import type { Components } from "./components.ts";
import type { JSONSchema } from "./json_schema.ts";
import { literalStatuses } from "./literal_status.ts";
import { mergeOperations } from "./merge_operations.ts";
import { describeOperation, type Operation } from "./operation.ts";
import { freeName, nameOf } from "./operation_name.ts";
import { describePath, type PathShape } from "./path_parameters.ts";
import type { SchemaWriter } from "./schema_writer.ts";

/** The input for building the paths. */
export interface PathSources {
  readonly records: readonly RouteRecord[];
  readonly schemas: SchemaWriter;
  /** Returns a route's description from the source files. */
  readonly documented: (record: RouteRecord) => RouteDescription;
  readonly isGuessing: boolean;
}

/** The paths of a document and the operation of each route. */
export interface BuiltPaths {
  readonly paths: Record<string, Record<string, Operation>>;
  readonly operations: Map<object, Operation>;
}

/** The methods that OpenAPI supports. CONNECT and custom methods are not included. */
const methods: ReadonlySet<string> = new Set(["GET", "PUT", "POST", "DELETE", "OPTIONS", "HEAD", "PATCH", "TRACE"]);

/** Builds the paths in registration order. */
export function buildPaths({ records, schemas, documented, isGuessing }: PathSources): BuiltPaths {
  const paths: Record<string, Record<string, Operation>> = {};
  const operations = new Map<object, Operation>();
  const byShape = new Map<string, PathShape>();
  const ids = new Set<string>();
  for (const record of records) {
    const { route } = record;
    if (!methods.has(route.Method) || route.Description.Hidden === true) continue;
    const own = describePath(record.template);
    const first = byShape.get(own.shape) ?? own;
    byShape.set(own.shape, first);
    const item = paths[first.path] ??= {};
    const said = combined(documented(record), withLiterals(route.Description, record));
    const base = nameOf(route, said.OperationID, route.Controller).replace(/[^A-Za-z0-9_.~-]/g, "_");
    const id = freeName(base, ids);
    const operation = describeOperation({ record, shape: renamed(own, first), id, schemas, isGuessing, said });
    operations.set(route, operation);
    const key = route.Method.toLowerCase();
    const before = item[key];
    item[key] = before === undefined ? operation : mergeOperations(before, operation);
  }
  for (const item of Object.values(paths)) {
    for (const [key, operation] of Object.entries(item)) item[key] = withJSONParameters(operation, schemas.components);
  }
  return { paths, operations };
}

/**
 * Describes objects in the query string and in headers as JSON, which is how the server reads them. Otherwise, OpenAPI
 * clients would send the members of an object as parameters of their own.
 */
function withJSONParameters(operation: Operation, components: Components): Operation {
  const { parameters } = operation;
  if (!Array.isArray(parameters)) return operation;
  return {
    ...operation,
    parameters: parameters.map((parameter) => {
      const { schema, ...others } = parameter;
      const isJSON = others.in !== "path" && others.explode !== true && isObject(Object(schema), components);
      return isJSON ? { ...others, content: { "application/json": { schema } } } : parameter;
    }),
  };
}

/** Reports whether all values of a schema are objects or `null`. */
function isObject(given: JSONSchema, components: Components): boolean {
  const { type, allOf, anyOf, oneOf } = components.resolve(given);
  if (Array.isArray(allOf)) return allOf.some((part) => isObject(part, components));
  const options = anyOf ?? oneOf;
  if (Array.isArray(options)) {
    return options.every((option) => option["type"] === "null" || isObject(option, components));
  }
  const types = [type].flat();
  return types.includes("object") && types.every((each) => each === "object" || each === "null");
}

/**
 * Renames a path's parameters to match an earlier path of the same shape. OpenAPI considers `/{id}` and `/{name}`
 * identical, while fw distinguishes `/{id:int}` from `/{name}`.
 */
function renamed(own: PathShape, first: PathShape): PathShape {
  const parameters = own.parameters.map((parameter, at) => ({
    ...parameter,
    name: first.parameters[at]?.name ?? parameter.name,
  }));
  return { ...own, path: first.path, parameters };
}

/** Merges two descriptions. The program takes precedence over the sources. */
function combined(documented: RouteDescription, own: RouteDescription): RouteDescription {
  const said = { ...documented, ...own };
  if (own.Returns === undefined && own.Status === undefined) return said;
  // A success response in the program replaces the one from the sources. If the program only specifies a status, it
  // applies to the body from the sources.
  const rest = Object.entries(documented.Responses ?? {});
  const [success] = rest.filter(([status]) => /^2/.test(status));
  const others = Object.fromEntries(rest.filter(([status]) => !/^(?:2|default)/.test(status)));
  const isBodyKnown = own.Returns === undefined && success !== undefined && own.Status !== undefined;
  const kept = isBodyKnown ? { ...others, [own.Status as string]: success[1] } : others;
  const { Status: _, ...withoutStatus } = said;
  return { ...isBodyKnown ? withoutStatus : said, Responses: { ...kept, ...own.Responses } };
}

/** Adds the status that a method returns, if its source contains exactly one literal success status. */
function withLiterals(said: RouteDescription, { owner, route }: RouteRecord): RouteDescription {
  if (said.Returns === undefined || said.Status !== undefined || owner === undefined) return said;
  const statuses = literalStatuses(owner, route.Action ?? "").filter((status) => status < 300);
  const [only, another] = statuses;
  return only === undefined || another !== undefined ? said : { ...said, Status: only };
}
