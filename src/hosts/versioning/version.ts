/**
 * Determines the API version that a request asks for.
 *
 * @module
 */

import { mapOf } from "../../base/config/option_shapes.ts";
import { checkArgument } from "../../base/config/option_table.ts";
import { filled, text } from "../../base/config/option_kinds.ts";
import { chosenVersion } from "../../core/context/chosen_version.ts";
import { type Context, exchangeOf } from "../../core/context/context.ts";
import type { Handler } from "../../core/context/handler.ts";
import { valueOf, valuesOf } from "../../core/exchange/exchange.ts";
import { noteOwnInput } from "../../core/exchange/own_inputs.ts";
import { Key } from "../../core/exchange/values.ts";
import { varyBy } from "../../http/response/draft.ts";
import { assertVersion, type RangeTest, readRange, readVersion } from "./range.ts";

/** The key of {@linkcode Aliases} for requests without a version. */
export const Empty = "";
/** The request header that specifies the version. */
export const AcceptVersionHeaderKey = "Accept-Version";
/** The request header whose `version` parameter can also specify the version. */
export const AcceptHeaderKey = "Accept";
/** The response header that contains the version. */
export const APIVersionResponseHeader = "X-Api-Version";

/** Versions by their alias. */
export type AliasMap = Readonly<Record<string, string>>;

/** Whether the request itself contains the version that middleware has set. */
const askedKey: Key<boolean> = Key("fw.version.asked");
const aliasesKey: Key<ReadonlyMap<string, string>> = Key("fw.version.aliases");

/**
 * Returns the version that a request asks for. The version is set by {@linkcode SetVersion} or read from the
 * `Accept-Version` header or the `version` parameter of the `Accept` header.
 *
 * @param ctx The request context.
 * @returns The version as sent, or an empty string if there is none.
 */
export function GetVersion(ctx: Context): string {
  const offered = offeredVersion(ctx);
  if (offered !== undefined) return offered;
  const chosen = valueOf(exchangeOf(ctx), chosenVersion) ?? "";
  if (chosen !== "") return chosen;
  // Caches must store the versions of a URL separately.
  const { draft } = exchangeOf(ctx);
  varyBy(draft, AcceptVersionHeaderKey);
  const own = ctx.GetHeader(AcceptVersionHeaderKey).trim();
  if (own !== "") return own;
  varyBy(draft, AcceptHeaderKey);
  return /(?:^|[\s;,])version="?([^\s;,"]*)/i.exec(ctx.GetHeader(AcceptHeaderKey))?.[1] ?? "";
}

/** Returns the version of the route that a call was offered for, unless the caller asks for a version. */
function offeredVersion(ctx: Context): string | undefined {
  const { target, runtime } = exchangeOf(ctx);
  const bound = target.outer?.route;
  if (bound?.version === undefined || bound.app !== runtime) return undefined;
  const isAsked = valueOf(exchangeOf(ctx), askedKey) === true || ctx.GetHeader(AcceptVersionHeaderKey).trim() !== "";
  return isAsked ? undefined : bound.version;
}

/**
 * Sets the version of a request. Use it in middleware that reads the version from another part of the request.
 *
 * @param ctx The request context.
 * @param version The version.
 */
export function SetVersion(ctx: Context, version: string): void {
  checkArgument(version, text(), "version", "versioning.SetVersion");
  valuesOf(exchangeOf(ctx)).Set(chosenVersion, version);
}

/**
 * Creates middleware that defines aliases for versions. The aliases apply to groups that are registered after it.
 *
 * @param aliases The versions by alias. The key {@linkcode Empty} specifies the version for requests that do not ask
 * for one.
 * @returns The middleware.
 * @throws {FrameworkError} If a version is invalid.
 */
export function Aliases(aliases: AliasMap): Handler {
  checkArgument(aliases, mapOf(text(), "versions"), "aliases", "versioning.Aliases");
  const known: ReadonlyMap<string, string> = new Map(Object.entries(aliases));
  for (const [alias, version] of known) assertVersion(version, `define the version alias "${alias}"`);
  return function versionAliases(ctx) {
    ctx.Values().Set(aliasesKey, known);
    return ctx.Next();
  };
}

/**
 * Creates middleware that reads the version from a query parameter.
 *
 * @param name The parameter name.
 * @param defaultVersion The version for requests without the parameter. If omitted, the version is read from the
 * headers.
 * @returns The middleware.
 */
export function FromQuery(name: string, defaultVersion = ""): Handler {
  checkArgument(name, filled(), "name", "versioning.FromQuery");
  checkArgument(defaultVersion, text(), "defaultVersion", "versioning.FromQuery");
  return function versionFromQuery(ctx) {
    noteOwnInput(exchangeOf(ctx).request, "query", name);
    const asked = ctx.URLParam(name);
    if (asked !== "") ctx.Values().Set(askedKey, true);
    const version = asked || defaultVersion;
    if (version !== "") SetVersion(ctx, version);
    return ctx.Next();
  };
}

/**
 * Reports whether a version is in a range.
 *
 * @param version The version.
 * @param range The range.
 * @returns `true` if the version is in the range. `false` if either is invalid.
 */
export function If(version: string, range: string): boolean {
  checkArgument(version, text(), "version", "versioning.If");
  const test = testOf(range, "versioning.If");
  const read = readVersion(version);
  return test !== undefined && read !== undefined && test(read);
}

/**
 * Reports whether the version of a request is in a range. If it is, the version is added to the response headers.
 *
 * @param ctx The request context.
 * @param range The range.
 * @returns `true` if the version is in the range. `false` if either is invalid.
 */
export function Match(ctx: Context, range: string): boolean {
  const test = testOf(range, "versioning.Match");
  return test !== undefined && matchRange(ctx, test);
}

/** Reports whether the version of a request passes a test. If it does, the version is added to the response headers. */
export function matchRange(ctx: Context, test: RangeTest): boolean {
  const asked = GetVersion(ctx);
  const version = offeredVersion(ctx) ?? valueOf(exchangeOf(ctx), aliasesKey)?.get(asked)?.trim() ?? asked;
  const read = readVersion(version);
  if (read === undefined || !test(read)) return false;
  if (version !== asked) SetVersion(ctx, version);
  ctx.Header(APIVersionResponseHeader, version);
  return true;
}

function testOf(range: string, caller: string): RangeTest | undefined {
  checkArgument(range, text(), "range", caller);
  try {
    return readRange(range);
  } catch {
    return undefined;
  }
}
