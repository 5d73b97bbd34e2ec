/**
 * The version of an API that a request asks for.
 *
 * @module
 */

import { type Context, exchangeOf } from "../context/context.ts";
import type { Handler } from "../context/handler.ts";
import { Key } from "../exchange/values.ts";
import { varyBy } from "../response/vary.ts";
import { type RangeTest, readRange, readVersion } from "./range.ts";

/** The key of {@linkcode Aliases} for requests without a version. */
export const Empty = "";
/** The header field in which clients ask for a version. */
export const AcceptVersionHeaderKey = "Accept-Version";
/** The header field whose parameter `version` asks for a version too. */
export const AcceptHeaderKey = "Accept";
/** The header field of the response that names the version. */
export const APIVersionResponseHeader = "X-Api-Version";

/** Versions by the names that clients may use for them. */
export type AliasMap = Readonly<Record<string, string>>;

const versionKey: Key<string> = Key("fw.version");
const aliasesKey: Key<ReadonlyMap<string, string>> = Key("fw.version.aliases");

/**
 * Returns the version that a request asks for: the one given to {@linkcode SetVersion}, that of the header field
 * `Accept-Version`, or the parameter `version` of `Accept`.
 *
 * @param ctx The request.
 * @returns The version as it was sent, or an empty string.
 */
export function GetVersion(ctx: Context): string {
  const chosen = ctx.Values().Get(versionKey) ?? "";
  if (chosen !== "") return chosen;
  // Caches must keep the versions of one URL apart.
  const { draft } = exchangeOf(ctx);
  varyBy(draft, AcceptVersionHeaderKey);
  const own = ctx.GetHeader(AcceptVersionHeaderKey).trim();
  if (own !== "") return own;
  varyBy(draft, AcceptHeaderKey);
  return /(?:^|[\s;,])version=([^\s;,]*)/i.exec(ctx.GetHeader(AcceptHeaderKey))?.[1] ?? "";
}

/**
 * Sets the version of a request, for middleware that reads it from elsewhere.
 *
 * @param ctx The request.
 * @param version The version.
 */
export function SetVersion(ctx: Context, version: string): void {
  ctx.Values().Set(versionKey, version);
}

/**
 * Creates middleware that names versions, for the groups of the routes behind it.
 *
 * @param aliases Versions by name; the key {@linkcode Empty} is the version of requests that ask for none.
 * @returns The middleware.
 */
export function Aliases(aliases: AliasMap): Handler {
  const known: ReadonlyMap<string, string> = new Map(Object.entries(aliases));
  return function versionAliases(ctx) {
    ctx.Values().Set(aliasesKey, known);
    return ctx.Next();
  };
}

/**
 * Creates middleware that reads the version from a query parameter.
 *
 * @param name The name of the parameter.
 * @param defaultVersion The version of requests without the parameter. If omitted, the header fields apply to them.
 * @returns The middleware.
 */
export function FromQuery(name: string, defaultVersion = ""): Handler {
  return function versionFromQuery(ctx) {
    const version = ctx.URLParam(name) || defaultVersion;
    if (version !== "") SetVersion(ctx, version);
    return ctx.Next();
  };
}

/**
 * Reports whether a version is within a range.
 *
 * @param version The version.
 * @param range The range.
 * @returns Whether it is; false if either is malformed.
 */
export function If(version: string, range: string): boolean {
  const test = testOf(range);
  const read = readVersion(version);
  return test !== undefined && read !== undefined && test(read);
}

/**
 * Reports whether the version of a request is within a range. If it is, the response names the version.
 *
 * @param ctx The request.
 * @param range The range.
 * @returns Whether it is; false if either is malformed.
 */
export function Match(ctx: Context, range: string): boolean {
  const test = testOf(range);
  return test !== undefined && matchRange(ctx, test);
}

/** Reports whether the version of a request passes a test, and has the response name it. */
export function matchRange(ctx: Context, test: RangeTest): boolean {
  const asked = GetVersion(ctx);
  const version = ctx.Values().Get(aliasesKey)?.get(asked)?.trim() ?? asked;
  const read = readVersion(version);
  if (read === undefined || !test(read)) return false;
  if (version !== asked) SetVersion(ctx, version);
  ctx.Header(APIVersionResponseHeader, version);
  return true;
}

function testOf(range: string): RangeTest | undefined {
  try {
    return readRange(range);
  } catch {
    return undefined;
  }
}
