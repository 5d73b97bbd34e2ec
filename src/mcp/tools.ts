/**
 * Collects an application's tools.
 *
 * @module
 */

import { type Party, recordOf, registryOf } from "../app/party.ts";
import type { RouteRecord } from "../app/record/registry.ts";
import { isNamed } from "../app/record/route.ts";
import { FrameworkError } from "../errors/errors.ts";
import { Components } from "../openapi/components.ts";
import { describeOperation, type Operation } from "../openapi/operation.ts";
import { tagOf } from "../openapi/operation_name.ts";
import { describePath } from "../openapi/path_parameters.ts";
import { SchemaWriter } from "../openapi/schema_writer.ts";
import type { Options } from "./options.ts";
import { bindTool, type BoundTool } from "./tool.ts";
import type { Definitions } from "./tool_schema.ts";

/** The HTTP methods that become tools. A model does not need HEAD and OPTIONS. */
const methods: ReadonlySet<string> = new Set(["GET", "POST", "PUT", "PATCH", "DELETE"]);
/** The maximum length of a tool name that all clients accept. */
const longestName = 64;

/** Creates the tools of a built application, by name. */
export function buildTools(party: Party, options: Options): ReadonlyMap<string, BoundTool> {
  const registry = registryOf(party);
  const components = new Components();
  const schemas = new SchemaWriter(components, options.Convert);
  const names = new Set<string>();
  const found: [name: string, record: RouteRecord, operation: Operation][] = [];
  for (const record of chosen(registry.routes, party, options)) {
    const name = freeName(record, names);
    const shape = describePath(record.template);
    const said = record.route.Description;
    found.push([name, record, describeOperation({ record, shape, id: name, schemas, said, isGuessing: true })]);
  }
  for (const warning of schemas.warnings) registry.logger.Warn(warning);
  // Read the components last, because a schema becomes a reference only if a later route reuses it.
  const definitions: Definitions = Object(Object(components.toObject())["schemas"]);
  return new Map(found.map(([name, record, operation]) => [name, bindTool(name, record, operation, definitions)]));
}

function chosen(routes: readonly RouteRecord[], party: Party, options: Options): RouteRecord[] {
  const { Controllers = [], Routes } = options;
  const { subdomain } = recordOf(party);
  const offered = routes.filter(({ route, party }) =>
    party.subdomain === subdomain && methods.has(route.Method) && route.Description.Hidden !== true
  );
  for (const controller of Controllers) {
    if (offered.some(({ owner }) => owner === controller)) continue;
    throw new FrameworkError("FW_CONFIG", `Cannot offer "${controller.name}" as tools: it serves no routes here`);
  }
  return offered.filter(({ route, owner }) =>
    Controllers.some((controller) => owner === controller) || Routes?.(route) === true
  );
}

/** Returns a unique name, based on the route's own name, the controller and its method, or the HTTP method and path. */
function freeName({ route }: RouteRecord, taken: Set<string>): string {
  const { OperationID } = route.Description;
  const words = [route.Method.toLowerCase(), ...route.Path.replace(/:[^}]*/g, "").match(/\w+/g) ?? []];
  const given = OperationID ?? (isNamed(route) ? route.Name : undefined);
  const own = given ??
    (route.Controller === undefined ? words.join("_") : `${tagOf(route.Controller)}_${route.Action}`);
  const base = own.replace(/[^A-Za-z0-9_-]/g, "_").slice(0, longestName);
  let name = base;
  for (let at = 2; taken.has(name); at++) name = `${base.slice(0, longestName - 1 - String(at).length)}_${at}`;
  taken.add(name);
  return name;
}
