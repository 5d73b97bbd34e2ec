/**
 * Collects the tools and prompts of an application.
 *
 * @module
 */

import { returnedBoolean } from "../../base/config/returned.ts";
import { reachableRoutes } from "../../core/app/inspect/reachable_routes.ts";
import { type Party, recordOf, routeRecordsOf } from "../../core/app/party.ts";
import { type ServedRoute, servedRoutes } from "../../core/app/served_routes.ts";
import type { RouteRecord } from "../../core/app/record/registry.ts";
import { FrameworkError } from "../../base/errors/errors.ts";
import { Components } from "../openapi/components.ts";
import { describeOperation } from "../openapi/operation.ts";
import { freeName, nameOf, tagOf } from "../openapi/operation_name.ts";
import { describePath } from "../openapi/path_parameters.ts";
import { SchemaWriter } from "../openapi/schema_writer.ts";
import type { Options, Settings } from "./options.ts";
import { uriOf } from "./tool/resources.ts";
import { bindTool, type BoundTool, type DescribedRoute } from "./tool/tool.ts";
import type { Definitions } from "./tool/tool_schema.ts";

/** The HTTP methods that become tools. A model does not need HEAD and OPTIONS. */
const methods: ReadonlySet<string> = new Set(["GET", "POST", "PUT", "PATCH", "DELETE"]);
/** The maximum length of a tool name that all clients accept. */
const longestName = 64;

/** The routes that an endpoint offers, by name. */
export interface Offers {
  readonly tools: ReadonlyMap<string, BoundTool>;
  readonly prompts: ReadonlyMap<string, BoundTool>;
}

/** Describes the offered routes of a built application. */
export function buildOffers(party: Party, options: Settings, warn: (warning: string) => void): Offers {
  const routes = offerable(party);
  const components = new Components();
  const schemas = new SchemaWriter(components, options.Convert);
  function describe(routes: readonly ServedRoute[], isResource: boolean): DescribedRoute[] {
    const names = new Set<string>();
    return routes.map(({ record, target, mounts }) => {
      const { route } = record;
      const controller = route.Controller && tagOf(route.Controller);
      const base = nameOf(route, route.Description.OperationID, controller).replace(/[^A-Za-z0-9_-]/g, "_");
      const name = freeName(base, names, longestName);
      const shape = describePath(record.template);
      const said = record.route.Description;
      const operation = describeOperation({ record, shape, id: name, schemas, said, isGuessing: true });
      return { name, record, target, mounts, operation, uri: isResource ? resourceOf(record, options) : undefined };
    });
  }
  const { Controllers, Routes, Prompts } = options;
  const tools = describe(chosen(routes, { Controllers, Routes }), true);
  const prompts = describe(
    chosen(routes, typeof Prompts === "function" ? { Routes: Prompts } : { Controllers: Prompts }),
    false,
  );
  for (const warning of schemas.warnings) warn(warning);
  // Read the components last, because a schema becomes a reference only if a later route reuses it.
  const definitions: Definitions = Object(Object(components.toObject())["schemas"]);
  const bind = (routes: readonly DescribedRoute[]) =>
    new Map(routes.map((route) => [route.name, bindTool(route, definitions)]));
  return { tools: bind(tools), prompts: bind(prompts) };
}

function resourceOf({ route, template }: RouteRecord, { Resources }: Settings): string | undefined {
  const uri = typeof Resources === "function" ? Resources(route) : Resources;
  if (typeof uri === "string") return uri;
  return returnedBoolean(uri, "Resources of mcp") ? uriOf(template) : undefined;
}

/** The options that select routes. */
interface Choice {
  readonly Controllers?: Options["Controllers"] | undefined;
  readonly Routes?: Options["Routes"] | undefined;
}

/**
 * Returns the routes that can be offered, including those of mounted applications. The routes of a switched application
 * belong to other hosts.
 */
function offerable(party: Party): ServedRoute[] {
  const { subdomain } = recordOf(party);
  const own = new Set(reachableRoutes(routeRecordsOf(party)));
  return servedRoutes(party).filter(({ record, hosts, isInner, replacedBy }) =>
    (isInner ? hosts.length === 0 && replacedBy === undefined : own.has(record)) &&
    record.party.subdomain === subdomain && methods.has(record.route.Method) && record.route.Description.Hidden !== true
  );
}

function chosen(offered: readonly ServedRoute[], { Controllers = [], Routes }: Choice): ServedRoute[] {
  for (const controller of Controllers) {
    if (offered.some(({ record }) => record.owner === controller)) continue;
    throw new FrameworkError("FW_CONFIG", `Cannot offer "${controller.name}" as tools: it serves no routes here`);
  }
  return offered.filter(({ record: { route, owner } }) =>
    Controllers.some((controller) => owner === controller) ||
    Routes !== undefined && returnedBoolean(Routes(route), "Routes or Prompts of mcp")
  );
}
