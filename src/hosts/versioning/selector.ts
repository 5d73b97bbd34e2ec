/**
 * A route selector that limits a party to specific versions.
 *
 * @module
 */

import { checkArgument } from "../../base/config/option_table.ts";
import { func } from "../../base/config/option_kinds.ts";
import type { RouteSelector } from "../../core/app/record/route_selector.ts";
import type { Context } from "../../core/context/context.ts";
import type { Handler } from "../../core/context/handler.ts";
import { refuseWith } from "../../core/context/refusal.ts";
import { HTTPError } from "../../base/errors/errors.ts";
import { Key } from "../../core/exchange/values.ts";
import { assertVersion, readRange } from "./range.ts";
import { APIVersionResponseHeader, If, matchRange } from "./version.ts";

const handlerKey: Key<Handler> = Key("fw.version.notfound");
/** The message that clients of Iris know. */
const notFound = "version not found";

/**
 * Creates middleware that sets the handler for requests whose version is not supported by any group. The default
 * handler responds with 501 and `version not found`, as an error page or problem details like any other error.
 *
 * @param handler The handler that writes the response. The status is 501 unless the handler sets another one.
 * @returns The middleware. Register it on the party that contains the groups.
 */
export function NotFoundHandler(handler: Handler): Handler {
  checkArgument(handler, func(), "handler", "versioning.NotFoundHandler");
  return function versionNotFound(ctx) {
    ctx.Values().Set(handlerKey, handler);
    return ctx.Next();
  };
}

/** Selects the requests for versions in a range. */
export function versionSelector(range: string): RouteSelector {
  const test = readRange(range);
  return { name: range, serves: (version) => serves(version, range), matches: (ctx) => matchRange(ctx, test), refuse };
}

function serves(version: string, range: string): boolean {
  assertVersion(version, "select the routes of a version");
  return If(version, range);
}

function refuse(ctx: Context): ReturnType<Handler> {
  // An outer group may already have set the header to its own version.
  ctx.Header(APIVersionResponseHeader, "");
  const handler = ctx.Values().Get(handlerKey);
  if (handler !== undefined) return refuseWith(ctx, 501, () => handler(ctx));
  // This is not logged as a server error, because the client requested a version that does not exist.
  ctx.StopWithStatus(501);
  ctx.SetErr(new HTTPError(501, notFound));
}
