/**
 * What answers a request: handlers, the routes that hold them, the parties they belong to.
 *
 * @module
 */

import type { Engine } from "../view/engine.ts";
import type { Context } from "./context.ts";

/**
 * Answers a request or passes it on with `ctx.Next()`; a returned `Response` is the answer.
 *
 * A handler that does nothing asynchronous should be a plain function: fw then builds no promise for it.
 */
export type Handler = (ctx: Context) => void | Response | Promise<void | Response>;

/** What is known of a registered route. */
export interface RouteInfo {
  /** The HTTP method. */
  readonly Method: string;
  /** The path template with the prefixes of all its parties. */
  readonly Path: string;
  /** The subdomain of its party, such as `admin.`; empty for the root domain. */
  readonly Subdomain: string;
  /** A name to tell it by: method, subdomain and path, unless it was renamed. */
  readonly Name: string;
  /** The names of its path parameters, in order. */
  readonly Params: readonly string[];
  /** The name of the controller class, when a controller serves it. */
  readonly Controller: string | undefined;
  /** The name of the controller's method, when a controller serves it. */
  readonly Action: string | undefined;
}

/** What a request needs of the party it ran into: small, so that a context need not know parties. */
export interface Scope {
  /** The chain that answers an error status that nobody wrote a body for, if there is one. */
  errorChain(status: number): readonly Handler[] | undefined;
  /** The template engine of the party or the nearest one above it. */
  readonly engine: Engine | undefined;
}

/** A route ready to run: everything that can be known before the request is known. */
export interface CompiledRoute {
  readonly info: RouteInfo | undefined;
  readonly chain: readonly Handler[];
  readonly names: readonly string[];
  readonly scope: Scope;
}
