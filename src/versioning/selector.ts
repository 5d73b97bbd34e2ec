/**
 * The selector that limits a party to some versions.
 *
 * @module
 */

import type { RouteSelector } from "../app/record/registry.ts";
import type { Context } from "../context/context.ts";
import type { Handler } from "../context/handler.ts";
import { Key } from "../exchange/values.ts";
import { readRange } from "./range.ts";
import { If, matchRange } from "./version.ts";

const handlerKey: Key<Handler> = Key("fw.version.notfound");

/**
 * Creates middleware that chooses how requests for a version that no group serves are responded to. Without it, they
 * get 501 and `version not found`.
 *
 * @param handler Writes the response.
 * @returns The middleware, for the party of the groups.
 */
export function NotFoundHandler(handler: Handler): Handler {
  return function versionNotFound(ctx) {
    ctx.Values().Set(handlerKey, handler);
    return ctx.Next();
  };
}

/** Selects the requests of the versions within a range. */
export function versionSelector(range: string): RouteSelector {
  const test = readRange(range);
  return { name: range, serves: (version) => If(version, range), matches: (ctx) => matchRange(ctx, test), refuse };
}

function refuse(ctx: Context): ReturnType<Handler> {
  const handler = ctx.Values().Get(handlerKey);
  if (handler !== undefined) return handler(ctx);
  // Not logged as a failure of the server: the client asked for what does not exist.
  ctx.StopWithText(501, "version not found");
}
