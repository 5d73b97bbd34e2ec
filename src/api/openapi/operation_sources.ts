/**
 * The input for describing an operation.
 *
 * @module
 */

import type { RouteRecord } from "../../core/app/record/registry.ts";
import type { RouteDescription } from "../../core/app/record/route_description.ts";
import type { SchemaUse } from "./components.ts";
import type { PathShape } from "./path_parameters.ts";
import type { SchemaWriter } from "./schema_writer.ts";

/** The input for describing an operation. */
export interface OperationSources {
  readonly record: RouteRecord;
  readonly shape: PathShape;
  readonly id: string;
  readonly schemas: SchemaWriter;
  /** The route's description. `Describe` calls in the program take precedence over comments in the sources. */
  readonly said: RouteDescription;
  /** Whether to derive missing names and responses. */
  readonly isGuessing: boolean;
}

/** Returns the name that a schema of an operation gets if it needs one. */
export function useOf({ id, record }: OperationSources, part: string): SchemaUse {
  return { name: `${id}_${part}`, owner: record.route.Controller ?? "" };
}

/** Returns all handlers that run for a route, including the middleware of its parties and of the application. */
export function handlersOf(record: RouteRecord): readonly object[] {
  const above: object[] = [];
  for (let party: RouteRecord["party"] | undefined = record.party; party !== undefined; party = party.parent) {
    above.unshift(...party.routerUses);
  }
  return [...above, ...record.party.globals, ...record.uses, ...record.handlers];
}

/** Returns named examples in the form of an OpenAPI media type, or an empty object if there are none. */
export function examplesOf(examples: Readonly<Record<string, unknown>> | undefined): Record<string, unknown> {
  if (examples === undefined || Object.keys(examples).length === 0) return {};
  return { examples: Object.fromEntries(Object.entries(examples).map(([name, value]) => [name, { value }])) };
}
