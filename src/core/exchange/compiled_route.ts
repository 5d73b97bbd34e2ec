/**
 * Compiled routes. They contain everything about a route that can be computed before a request arrives.
 *
 * @module
 */

import type { Template } from "../../http/parameter_types/template.ts";
import type { Engine, ViewNotFound } from "../../pages/engine/engine.ts";
import type { Attachments } from "./attachments.ts";
import type { Step } from "./chain/chain.ts";

/** A fallback: another view, another layout for the same view, or a function. `C` is the type of the context. */
export type Fallback<C> =
  | string
  | { readonly Layout: string }
  | ((ctx: C, error: ViewNotFound) => void | Promise<void>);

/** A source of data that has to be loaded before a template is rendered, because templates are synchronous. */
export interface ViewSource {
  /** Loads the data for a request, or returns `undefined` if there is nothing to load. */
  loadView(ctx: never): Promise<Record<string, unknown>> | undefined;
}

/** The data, layout and engine for a template. */
export class ViewState {
  engine: Engine | undefined = undefined;
  /** The fallbacks to try before those of the party if a template does not exist. */
  fallbacks: Fallback<never>[] | undefined = undefined;
  isFallingBack = false;
  data: Record<string, unknown> | undefined = undefined;
  layout: string | undefined = undefined;
  /** Called with each page that a template has written to the response. */
  onWritten: ((html: string) => void) | undefined = undefined;
}

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
  /** Whether code outside fw has received the native request of a call, so that it may have read its signal. */
  isHandedOut: boolean;
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
  /** The contributions of extensions to the calls of the party and its ancestors, if there are any. */
  readonly attached: Attachments | undefined;
}

/** Information about a registered route. */
export interface RouteInfo {
  /** The HTTP method. */
  readonly Method: string;
  /** The path template, including the prefixes of all its parties. */
  readonly Path: string;
  /** The subdomain of its party, such as `admin.`, or an empty string for the root domain. */
  readonly Subdomain: string;
  /** The route name. Defaults to the method, subdomain and path. */
  readonly Name: string;
  /** The names of the path parameters, in order. */
  readonly Params: readonly string[];
  /** The name of the controller class, or `undefined` if no controller serves the route. */
  readonly Controller: string | undefined;
  /** The name of the controller method, or `undefined` if no controller serves the route. */
  readonly Action: string | undefined;
}
