/**
 * A route as requests use it: everything that can be known before the request is known.
 *
 * @module
 */

import type { Engine } from "../view/engine.ts";
import type { Step } from "./chain/chain.ts";
import type { RouteInfo } from "./route_info.ts";
import type { Fallback } from "./view_state.ts";

/** A route ready to run. */
export interface CompiledRoute<C> {
  readonly info: RouteInfo | undefined;
  readonly chain: readonly Step<C>[];
  /** How many of them belong to the router and not to the route. */
  readonly routerUses: number;
  readonly names: readonly string[];
  readonly party: RouteParty<C>;
  /** Whether a final slash is part of its path and not corrected away. */
  readonly servesSlash: boolean;
  /** Whether it serves methods of one's own too. */
  readonly servesAny: boolean;
  /** Whether its last parameter takes the rest of the path. */
  readonly takesRest: boolean;
  /** Whether a request was seen of which its handlers read headers; found out while it serves. */
  readsHeaders: boolean;
}

/** What a request needs of the party that its path leads to: small, so that a context need not know parties. */
export interface RouteParty<C> {
  /** The chain that writes the body of an error status where no handler did, if there is one. */
  errorChain(status: number): readonly Step<C>[] | undefined;
  /** Reports whether a handler was registered for that very status, and not for any. */
  handlesError(status: number): boolean;
  /** The template engine of the party or the nearest one above it. */
  readonly engine: Engine | undefined;
  /** The layout of the party or the nearest one above it. */
  readonly layout: string | undefined;
  /** The fallbacks of the party, then those of the parties above it. */
  readonly fallbacks: readonly Fallback<C>[];
}
