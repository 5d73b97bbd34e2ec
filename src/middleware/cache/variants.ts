/**
 * Distinguishes the responses under one key by the request headers in `Vary`, the language and the API version.
 *
 * @module
 */

import { chosenVersion } from "../../context/chosen_version.ts";
import { type Context, exchangeOf } from "../../context/context.ts";
import { localeOf } from "../../context/format/language.ts";
import type { CachedResponse } from "./cached_response.ts";

/** Facts about a request that are not in its headers, by name. */
export type Facts = readonly (readonly [name: string, value: string])[];

/**
 * Returns the facts that are known before the handlers behind the cache run: the language prefix of the path and the
 * version that middleware has set. The key of the application may contain neither.
 */
export function factsBefore(ctx: Context): Facts {
  const { target, values, runtime: { languages } } = exchangeOf(ctx);
  const prefix = target.language === "" ? "" : languages?.catalog.find(target.language)?.Language() ?? "";
  const version = values?.Get(chosenVersion) ?? "";
  return [
    ...prefix === "" ? [] : [["prefix", prefix] as const],
    ...version === "" ? [] : [["version", version] as const],
  ];
}

/**
 * Returns the facts that a response depends on. If its handlers used the language of the request, that is one of them.
 *
 * @param ctx The request context.
 * @param before The facts that were known before the handlers ran.
 */
export function factsAfter(ctx: Context, before: Facts): Facts {
  const { language } = exchangeOf(ctx);
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

/** Returns the language that handlers would use. It is not fixed yet, because middleware may still influence it. */
function languageOf(ctx: Context): string {
  const exchange = exchangeOf(ctx);
  if (exchange.runtime.languages === undefined) return "";
  const before = exchange.language;
  const language = localeOf(exchange).Language();
  exchange.language = before;
  return language;
}

function textOf(facts: Facts): string {
  return JSON.stringify(facts);
}
