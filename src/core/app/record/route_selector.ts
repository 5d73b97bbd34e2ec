/**
 * Parties that are limited to some requests, for example to one API version.
 *
 * @module
 */

import type { Context } from "../../context/context.ts";
import type { Handler } from "../../context/handler.ts";

/** Decides whether a party serves a request that matches one of its routes. */
export interface RouteSelector {
  /** A description of the accepted requests. */
  readonly name: string;
  /** Reports whether the party serves the given kind of request, such as requests for one API version. */
  serves(kind: string): boolean;
  /** Reports whether the party serves the request. */
  matches(ctx: Context): boolean;
  /** Responds if no party serves the request. */
  refuse(ctx: Context): ReturnType<Handler>;
}

/** The properties of a party that determine which requests it serves. */
interface Selective {
  readonly parent: Selective | undefined;
  readonly selector: RouteSelector | undefined;
}

const none: readonly RouteSelector[] = [];

/** Returns the selectors of a party and its ancestors, starting with the outermost one. */
export function selectorsOf(party: Selective): readonly RouteSelector[] {
  const above = party.parent === undefined ? none : selectorsOf(party.parent);
  return party.selector === undefined ? above : [...above, party.selector];
}

/** Reports whether a party serves a request. */
export function servesRequest(selectors: readonly RouteSelector[], ctx: Context): boolean {
  return selectors.every((selector) => selector.matches(ctx));
}

/** Returns the nearest party without a selector, which is the party itself or an ancestor. */
export function unselectedParty<P extends Selective & { readonly parent: P | undefined }>(party: P): P | undefined {
  return selectorsOf(party).length === 0 ? party : party.parent && unselectedParty(party.parent);
}

/** Limits middleware to the requests that its party serves. */
export function selectedOnly(selectors: readonly RouteSelector[], handler: Handler): Handler {
  if (selectors.length === 0) return handler;
  const selected: Handler = (ctx) => servesRequest(selectors, ctx) ? handler(ctx) : ctx.Next();
  return Object.defineProperty(selected, "name", { value: handler.name });
}
