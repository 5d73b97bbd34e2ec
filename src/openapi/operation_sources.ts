/**
 * What is known of a route when it is described.
 *
 * @module
 */

import type { RouteRecord } from "../app/registry.ts";
import type { RouteDescription } from "../app/route_description.ts";
import type { PathShape } from "./path_parameters.ts";
import type { SchemaWriter } from "./schema_writer.ts";

/** What an operation is described with. */
export interface OperationSources {
  readonly record: RouteRecord;
  readonly shape: PathShape;
  readonly id: string;
  readonly schemas: SchemaWriter;
  /** What the source files and the program say of the route; the program takes precedence. */
  readonly said: RouteDescription;
  /** Whether names and responses are guessed if nothing is said of them. */
  readonly isGuessing: boolean;
}
