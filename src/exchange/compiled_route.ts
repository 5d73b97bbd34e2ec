/**
 * Compiled routes. They contain everything about a route that can be computed before a request arrives.
 *
 * @module
 */

import type { Engine } from "../engine/engine.ts";
import type { Template } from "../parameter_types/template.ts";
import type { Step } from "./chain/chain.ts";
import type { RouteInfo } from "./route_info.ts";
import type { Fallback } from "./view_state.ts";

/** A route that is ready to run. */
export interface CompiledRoute<C> {
  readonly info: RouteInfo | undefined;
  readonly chain: readonly Step<C>[];
  /** The number of handlers that were registered on the router rather than on the route. */
  readonly routerUses: number;
  readonly names: readonly string[];
  /** The path template. `undefined` for unmatched requests. */
  readonly template: Template | undefined;
  readonly party: RouteParty<C>;
  /** Whether the route's path ends with a slash that must not be removed. */
  readonly servesSlash: boolean;
  /** Whether the route also serves custom methods. */
  readonly servesAny: boolean;
  /** Whether the last parameter is a catch-all. */
  readonly takesRest: boolean;
  /** Whether the handlers read request headers. Learned while the route serves requests. */
  readsHeaders: boolean;
}

/** The properties of a party that requests need. This interface keeps the context independent of parties. */
export interface RouteParty<C> {
  /** The path template of the party, including those of its ancestors. Empty or `/` for the application itself. */
  readonly prefix: string;
  /** Returns the chain that writes the body for an error status if no handler did, or `undefined` if there is none. */
  errorChain(status: number): readonly Step<C>[] | undefined;
  /** The template engine of the party or its nearest ancestor that has one. */
  readonly engine: Engine | undefined;
  /** The layout of the party or its nearest ancestor that has one. */
  readonly layout: string | undefined;
  /** The view fallbacks of the party, followed by those of its ancestors. */
  readonly fallbacks: readonly Fallback<C>[];
}
