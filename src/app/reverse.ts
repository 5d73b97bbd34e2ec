/**
 * Builds paths from route names.
 *
 * @module
 */

import { FrameworkError } from "../errors/errors.ts";
import type { ParamSegment } from "../parameter_types/template.ts";
import type { PathValue, ReversedPath } from "../text/path_value.ts";
import type { Registry, RouteRecord } from "./record/registry.ts";

/**
 * Builds the path of a route. Each parameter must accept its value, so that the path matches the route again.
 *
 * @param registry The routes.
 * @param name The route name.
 * @param values The parameter values, in order. If the route has a wildcard subdomain, its value comes first.
 */
export function reverse(registry: Registry, name: string, values: readonly PathValue[]): ReversedPath {
  const record = registry.routes.find(({ route }) => route.Name === name);
  if (record === undefined) {
    throw new FrameworkError("FW_ROUTE", `Cannot build a path for "${name}": there is no such route`);
  }
  const { template: { names }, party: { subdomain } } = record;
  const isAny = subdomain === "*." && values.length === names.length + 1;
  const rest = isAny ? values.slice(1) : values;
  if (rest.length !== names.length) {
    throw new FrameworkError(
      "FW_ROUTE",
      `Cannot build a path for "${name}": it has ${names.length} parameters, not ${values.length}`,
    );
  }
  return { path: fill(record, rest), subdomain: isAny ? labelOf(name, values[0]) : subdomain };
}

/** Returns the value of a wildcard subdomain, with a trailing dot. */
function labelOf(route: string, value: PathValue | undefined): string {
  if (typeof value === "string" && /^[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/i.test(value)) return `${value}.`;
  throw new FrameworkError("FW_PARAM", `Cannot build a URL for "${route}": "${String(value)}" is not a subdomain`);
}

function fill({ route, template }: RouteRecord, values: readonly PathValue[]): string {
  let at = 0;
  const parts = template.segments.map((segment) =>
    segment.kind === "static" ? encodeURIComponent(segment.text) : fillOne(segment, values[at++] ?? "", route.Name)
  );
  return `/${parts.join("/")}`;
}

function fillOne(segment: ParamSegment, value: PathValue, route: string): string {
  const text = value instanceof Date ? value.toISOString().slice(0, 10) : String(value);
  const isReadable = text !== "" && (segment.trailing || !text.includes("/")) &&
    segment.acceptValue(text, 0, text.length);
  // Clients and proxies would resolve dot segments.
  if (!isReadable || (text + segment.suffix).split("/").some((part) => part === "." || part === "..")) {
    throw new FrameworkError(
      "FW_PARAM",
      `Cannot build a path for "${route}": {${segment.name}} does not accept "${text}"`,
    );
  }
  return text.split("/").map(encodeURIComponent).join("/") + encodeURIComponent(segment.suffix);
}
