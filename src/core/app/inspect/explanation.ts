/**
 * The explanation of how a request is served.
 *
 * @module
 */

import type { EventFact } from "../../exchange/handler_facts.ts";

/** A handler of a chain. */
export interface ExplainedHandler {
  /** The name of the handler, or `(anonymous)`. */
  readonly Name: string;
  /** The method that added the handler: `UseRouter`, `UseGlobal`, `Use`, `route` or `Done`. */
  readonly From: string;
  /** The file and line where the handler was registered. Empty unless a tool has turned on tracing. */
  readonly File: string;
}

/** A route that does not match the request, and the reason. */
export interface OtherRoute {
  /** The name of the route. */
  readonly Route: string;
  /** The reason. */
  readonly Why: string;
}

/** An explanation of how a request is served. */
export interface Explanation {
  /** The requested method. */
  readonly Method: string;
  /** The requested path. */
  readonly Path: string;
  /** The name of the route that serves the request, or `undefined` if there is none. */
  readonly Route: string | undefined;
  /** The method and path template of that route, such as `GET /users/{id:int}`. */
  readonly Template: string | undefined;
  /**
   * The range of versions that the route serves, or `undefined` if it is not limited to a version. An explanation does
   * not know the version of a request, so other routes may serve other versions.
   */
  readonly Version: string | undefined;
  /** The controller and its method, or `undefined` if no controller serves the request. */
  readonly Action: string | undefined;
  /** The status code if no route serves the request: a redirect, 204 for `OPTIONS`, 404 or 405. */
  readonly Status: number | undefined;
  /** The target of the redirect, if there is one. */
  readonly Location: string | undefined;
  /** The methods that the path supports, if no route serves the requested method. */
  readonly Allow: string | undefined;
  /** The decoded path parameters. */
  readonly Params: Readonly<Record<string, string>>;
  /** The handlers, in the order they run. */
  readonly Chain: readonly ExplainedHandler[];
  /** The sources of the validated inputs, such as `Body` or `Query`. */
  readonly Inputs: readonly string[];
  /** The names of the security schemes that guard the route. */
  readonly Security: readonly string[];
  /** The dependencies of the controller, as the lines of a tree. */
  readonly Dependencies: readonly string[];
  /** The events that the route handles over WebSocket connections. */
  readonly Events: readonly EventFact[];
  /** Similar routes, with the most similar one first. */
  readonly Others: readonly OtherRoute[];
}
