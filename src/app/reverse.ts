/**
 * From the name of a route to a path that leads to it.
 *
 * @module
 */

import { FrameworkError } from "../base/errors.ts";
import type { ParamSegment } from "../macro/template.ts";
import type { Registry, RouteRecord } from "./registry.ts";

/** A value for a path parameter. */
export type PathValue = string | number | bigint | boolean | Date;

/**
 * Builds a path of a route; each value must be one that its parameter accepts, so that the path does lead there.
 *
 * @param registry The routes.
 * @param name The name of the route.
 * @param values The values of its parameters, in order.
 */
export function reverse(registry: Registry, name: string, values: readonly PathValue[]): string {
  const record = registry.routes.find(({ route }) => route.Name === name);
  if (record === undefined) {
    throw new FrameworkError("FW_ROUTE", `Cannot build a path of "${name}": there is no such route`);
  }
  const { names } = record.template;
  if (values.length !== names.length) {
    throw new FrameworkError(
      "FW_ROUTE",
      `Cannot build a path of "${name}": it has ${names.length} parameters, not ${values.length}`,
    );
  }
  return fill(record, values);
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
