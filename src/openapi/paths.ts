/**
 * The routes of an application as the `paths` of a document.
 *
 * @module
 */

import type { RouteRecord } from "../app/registry.ts";
import type { RouteDescription } from "../app/route_description.ts";
import { literalStatuses } from "./literal_status.ts";
import { mergeOperations } from "./merge_operations.ts";
import { describeOperation, type Operation } from "./operation.ts";
import { uniqueID } from "./operation_name.ts";
import { describePath, type PathShape } from "./path_parameters.ts";
import type { SchemaWriter } from "./schema_writer.ts";

/** What the paths of a document are built from. */
export interface PathSources {
  readonly records: readonly RouteRecord[];
  readonly schemas: SchemaWriter;
  /** What the source files say of a route. */
  readonly documented: (record: RouteRecord) => RouteDescription;
  readonly isGuessing: boolean;
}

/** The paths of a document, and the operation of each route. */
export interface BuiltPaths {
  readonly paths: Record<string, Record<string, Operation>>;
  readonly operations: Map<object, Operation>;
}

/** The methods that a path of a document can have; CONNECT and methods of one's own are not among them. */
const methods: ReadonlySet<string> = new Set(["GET", "PUT", "POST", "DELETE", "OPTIONS", "HEAD", "PATCH", "TRACE"]);

/** Builds the paths, in the order of registration. */
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
    const operation = describeOperation({
      record,
      shape: renamed(own, first),
      id: uniqueID(record, ids),
      schemas,
      isGuessing,
      said: combined(documented(record), withLiterals(route.Description, record)),
    });
    operations.set(route, operation);
    const key = route.Method.toLowerCase();
    const before = item[key];
    item[key] = before === undefined ? operation : mergeOperations(before, operation);
  }
  return { paths, operations };
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

/** What the program says takes precedence over what the sources say. */
function combined(documented: RouteDescription, own: RouteDescription): RouteDescription {
  const said = { ...documented, ...own };
  if (own.Returns === undefined && own.Status === undefined) return said;
  // The success of the program stands in place of that of the sources; a status alone is that of the body they know.
  const rest = Object.entries(documented.Responses ?? {});
  const [success] = rest.filter(([status]) => /^2/.test(status));
  const others = Object.fromEntries(rest.filter(([status]) => !/^(?:2|default)/.test(status)));
  const isBodyKnown = own.Returns === undefined && success !== undefined && own.Status !== undefined;
  const kept = isBodyKnown ? { ...others, [own.Status as string]: success[1] } : others;
  const { Status: _, ...withoutStatus } = said;
  return { ...isBodyKnown ? withoutStatus : said, Responses: { ...kept, ...own.Responses } };
}

/** The status that a method returns beside its value, if it is the only literal one of a success. */
function withLiterals(said: RouteDescription, { owner, route }: RouteRecord): RouteDescription {
  if (said.Returns === undefined || said.Status !== undefined || owner === undefined) return said;
  const statuses = literalStatuses(owner, route.Action ?? "").filter((status) => status < 300);
  const [only, another] = statuses;
  return only === undefined || another !== undefined ? said : { ...said, Status: only };
}
