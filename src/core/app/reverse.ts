/**
 * Builds paths from route names.
 *
 * @module
 */

import { FrameworkError } from "../../base/errors/errors.ts";
import type { PathItem, PathValue, ReversedPath } from "../../base/text/path_value.ts";
import type { ParamSegment } from "../../http/parameter_types/template.ts";
import type { Registry, RouteRecord } from "./record/registry.ts";

/**
 * Builds the path of a route. Each parameter must accept its value, so that the path matches the route again.
 *
 * @param registry The routes.
 * @param name The route name.
 * @param lists The parameter values, in order, or lists of them. If the route has a wildcard subdomain, its value comes
 * first. If the last parameter is a catch-all, the remaining values are its segments.
 */
export function reverse(registry: Registry, name: string, lists: readonly PathValue[]): ReversedPath {
  const values = lists.flat() as PathItem[];
  const record = registry.routes.find(({ route }) => route.Name === name);
  if (record === undefined) {
    throw new FrameworkError("FW_ROUTE", `Cannot build a path for "${String(name)}": there is no such route`);
  }
  const { template: { names }, party: { subdomain } } = record;
  const isAny = subdomain === "*." && values.length === names.length + 1;
  const rest = withSegments(record, isAny ? values.slice(1) : values);
  if (rest.length !== names.length) {
    throw new FrameworkError(
      "FW_ROUTE",
      `Cannot build a path for "${name}": it has ${names.length} parameters, not ${values.length}`,
    );
  }
  return { path: fill(record, rest), subdomain: isAny ? labelOf(name, values[0]) : subdomain };
}

/** Joins the values for a catch-all. */
function withSegments(
  { template: { names, segments } }: RouteRecord,
  values: readonly PathItem[],
): readonly PathItem[] {
  const last = segments.at(-1);
  if (values.length <= names.length || last?.kind !== "param" || !last.trailing) return values;
  const at = names.length - 1;
  return [...values.slice(0, at), values.slice(at).map(textOf).join("/")];
}

function textOf(value: PathItem): string {
  return value instanceof Date ? value.toISOString().slice(0, 10) : String(value);
}

/** Returns the value of a wildcard subdomain, with a trailing dot. */
function labelOf(route: string, value: PathItem | undefined): string {
  if (typeof value === "string" && /^[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/i.test(value)) return `${value}.`;
  throw new FrameworkError("FW_PARAM", `Cannot build a URL for "${route}": "${String(value)}" is not a subdomain`);
}

function fill({ route, template }: RouteRecord, values: readonly PathItem[]): string {
  let at = 0;
  const parts = template.segments.map((segment) =>
    segment.kind === "static" ? encodeURIComponent(segment.text) : fillOne(segment, values[at++] ?? "", route.Name)
  );
  return `/${parts.join("/")}`;
}

function fillOne(segment: ParamSegment, value: PathItem, route: string): string {
  const text = textOf(value);
  // A URL cannot contain lone surrogates.
  const isReadable = text !== "" && text.isWellFormed() && (segment.trailing || !text.includes("/")) &&
    segment.acceptValue(text, 0, text.length);
  // Clients and proxies would resolve dot segments.
  if (!isReadable || (text + segment.suffix).split("/").some((part) => part === "." || part === "..")) {
    throw new FrameworkError(
      "FW_PARAM",
      `Cannot build a path for "${route}": {${segment.name}} does not accept "${text.toWellFormed()}"`,
    );
  }
  return text.split("/").map(encodeURIComponent).join("/") + encodeURIComponent(segment.suffix);
}
