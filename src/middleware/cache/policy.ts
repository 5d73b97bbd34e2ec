/**
 * Determines which responses may be stored, for how long and for which clients (RFC 9111, as a shared cache).
 *
 * @module
 */

import { chosenVersion } from "../../core/context/chosen_version.ts";
import { type Context, exchangeOf } from "../../core/context/context.ts";
import { valueOf } from "../../core/exchange/exchange.ts";
import { extrasOf } from "../../core/exchange/extras.ts";
import { localeOf } from "../../core/context/format/language.ts";
import { variedLabels } from "../../core/exchange/labels.ts";
import type { CachedResponse } from "./cached_response.ts";

/** Specifies whether and for how long a response may be stored. */
export interface Permission {
  /** The time for which the response is fresh, in milliseconds. `0` if it must not be stored. */
  readonly fresh: number;
  /** Whether the response may be sent to clients with credentials. */
  readonly isPublic: boolean;
}

/** The status codes that are cacheable by default. */
const kept: ReadonlySet<number> = new Set([200, 203, 301, 308, 404, 410]);

const refused: Permission = { fresh: 0, isPublic: false };

/** Parses a `Cache-Control` header into lower-case directives and their arguments. */
function readDirectives(header: string): Map<string, string> {
  const directives = new Map<string, string>();
  for (const item of header.split(",", 64)) {
    const [name = "", value = ""] = item.split("=", 2);
    const key = name.trim().toLowerCase();
    if (key !== "") directives.set(key, value.trim().replace(/^"(.*)"$/, "$1"));
  }
  return directives;
}

/**
 * Decides whether a response may be stored. The handlers' `Cache-Control` takes precedence over that of outer
 * middleware. If either forbids storing, the response is not stored.
 *
 * @param status The status code.
 * @param headers The headers set by the handlers.
 * @param all All response headers.
 * @param maxAge The default freshness, in milliseconds.
 */
export function permissionOf(status: number, headers: Headers, all: Headers, maxAge: number): Permission {
  if (!kept.has(status) || all.has("set-cookie") || headers.has("set-cookie")) return refused;
  if (all.get("vary")?.includes("*") || all.get("content-type")?.startsWith("text/event-stream")) return refused;
  const directives = readDirectives(headers.get("cache-control") ?? all.get("cache-control") ?? "");
  const others = readDirectives(all.get("cache-control") ?? "");
  if (["no-store", "private", "no-cache"].some((name) => directives.has(name) || others.has(name))) return refused;
  const said = directives.get("s-maxage") ?? directives.get("max-age");
  const seconds = said === undefined ? maxAge / 1000 : Number(said);
  if (!(seconds > 0)) return refused;
  const isPublic = directives.has("public") || directives.has("s-maxage");
  // Limit the number from the header, so that the expiry stays a valid date.
  return { fresh: Math.min(seconds, 365 * 24 * 3600) * 1000, isPublic };
}

/**
 * Reports whether a request carries credentials, in a header or a cookie. Its response is specific to the client unless
 * it is declared public.
 */
export function hasCredentials(headers: Headers): boolean {
  return headers.has("authorization") || headers.has("cookie");
}

/** Reports whether a client asks for a response that does not come from a cache, as a browser does on reload. */
export function wantsFresh(headers: Headers): boolean {
  const control = headers.get("cache-control");
  if (control === null) return headers.get("pragma") === "no-cache";
  const directives = readDirectives(control);
  return directives.has("no-cache") || directives.has("no-store") || directives.get("max-age") === "0";
}

/** Facts about a request that are not in its headers, by name. */
export type Facts = readonly (readonly [name: string, value: string])[];

/**
 * Returns the facts that are known before the handlers behind the cache run: the language prefix of the path, the
 * version that middleware has set, the application among several that see the same host, and the labels of extensions.
 * The key of the application may contain none of them.
 */
export function factsBefore(ctx: Context): Facts {
  const exchange = exchangeOf(ctx);
  const { target, runtime: { languages } } = exchange;
  const prefix = target.language === "" ? "" : languages?.catalog.find(target.language)?.Language() ?? "";
  const version = valueOf(exchange, chosenVersion) ?? "";
  const site = target.outer?.site ?? "";
  return [
    ...site === "" ? [] : [["site", site] as const],
    ...prefix === "" ? [] : [["prefix", prefix] as const],
    ...version === "" ? [] : [["version", version] as const],
    ...variedLabels(exchange)?.map(([name, value]) => [`label ${name}`, value] as const) ?? [],
  ];
}

/**
 * Returns the facts that a response depends on. If its handlers used the language of the request, that is one of them.
 *
 * @param ctx The request context.
 * @param before The facts that were known before the handlers ran.
 */
export function factsAfter(ctx: Context, before: Facts): Facts {
  const language = exchangeOf(ctx).extras?.language;
  // A language that a handler has set itself is part of its output. It is not known when the next request arrives.
  if (language === undefined || language.isSet === true) return before;
  return [...before, ["language", language.locale.Language()]];
}

/** Reports whether a request has the same facts and the same values of all headers in `Vary` as the stored one. */
export function matches(ctx: Context, response: CachedResponse): boolean {
  const { headers } = ctx.Request();
  const { Facts = [], Vary } = response;
  if (!Vary.every(([name, value]) => (headers.get(name) ?? "") === value)) return false;
  const language = Facts.find(([name]) => name === "language")?.[1];
  if (textOf(Facts.filter(([name]) => name !== "language")) !== textOf(factsBefore(ctx))) return false;
  return language === undefined || language === languageOf(ctx);
}

/**
 * Returns the key of a variant. It contains the ID of the main entry, so deleting the main entry invalidates all
 * variants.
 */
export function variantKey(ctx: Context, key: string, { ID, Stored, Vary, Facts = [] }: CachedResponse): string {
  const { headers } = ctx.Request();
  const language = Facts.some(([name]) => name === "language") ? [["language", languageOf(ctx)]] : [];
  const asked = Vary.map(([name]) => [name, headers.get(name) ?? ""]);
  return JSON.stringify([key, ID ?? Stored, ...factsBefore(ctx), ...language, ...asked]);
}

/** Returns the unique names in a header such as `Vary`, in lower case and sorted. */
export function namesIn(header: string): string[] {
  return [...new Set(header.split(",").map((name) => name.trim().toLowerCase()).filter(Boolean))].sort();
}

/** Joins the unique names of several headers such as `Vary`, in their original spelling. */
export function joinedNames(...headers: readonly string[]): string {
  const names = new Map<string, string>();
  for (const name of headers.join(",").split(",").map((each) => each.trim()).filter(Boolean)) {
    if (!names.has(name.toLowerCase())) names.set(name.toLowerCase(), name);
  }
  return [...names.values()].join(", ");
}

/** Returns the language that handlers would use. It is not fixed yet, because middleware may still influence it. */
function languageOf(ctx: Context): string {
  const exchange = exchangeOf(ctx);
  if (exchange.runtime.languages === undefined) return "";
  const extras = extrasOf(exchange);
  const before = extras.language;
  const language = localeOf(exchange).Language();
  extras.language = before;
  return language;
}

function textOf(facts: Facts): string {
  return JSON.stringify(facts);
}
