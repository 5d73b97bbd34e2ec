/**
 * From the name of a route to a path that leads to it.
 *
 * @module
 */

import { FrameworkError } from "../base/errors.ts";
import type { PathValue, ReversedPath } from "../base/path_value.ts";
import type { ParamSegment } from "../macro/template.ts";
import type { Registry, RouteRecord } from "./registry.ts";

/**
 * Builds a path of a route; each value must be one that its parameter accepts, so that the path does lead there.
 *
 * @param registry The routes.
 * @param name The name of the route.
 * @param values The values of its parameters, in order; before them the subdomain, where the route has any.
 */
export function reverse(registry: Registry, name: string, values: readonly PathValue[]): ReversedPath {
  const record = registry.routes.find(({ route }) => route.Name === name);
  if (record === undefined) {
    throw new FrameworkError("FW_ROUTE", `Cannot build a path of "${name}": there is no such route`);
  }
  const { template: { names }, party: { subdomain } } = record;
  const isAny = subdomain === "*." && values.length === names.length + 1;
  const rest = isAny ? values.slice(1) : values;
  if (rest.length !== names.length) {
    throw new FrameworkError(
      "FW_ROUTE",
      `Cannot build a path of "${name}": it has ${names.length} parameters, not ${values.length}`,
    );
  }
  return { path: fill(record, rest), subdomain: isAny ? labelOf(name, values[0]) : subdomain };
}

/** The value of a subdomain that may be any, with its final dot. */
function labelOf(route: string, value: PathValue | undefined): string {
  if (typeof value === "string" && /^[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/i.test(value)) return `${value}.`;
  throw new FrameworkError("FW_PARAM", `Cannot build a URL of "${route}": "${String(value)}" is not a subdomain`);
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
  const isReadable = text !== "" && (segment.trailing || !text.includes("/")) && segment.accept(text, 0, text.length);
  // Dots would be taken for steps up or nothing by every client on the way.
  if (!isReadable || text.split("/").some((part) => part === "." || part === "..")) {
    throw new FrameworkError(
      "FW_PARAM",
      `Cannot build a path of "${route}": {${segment.name}} does not accept "${text}"`,
    );
  }
  return text.split("/").map(encodeURIComponent).join("/");
}
