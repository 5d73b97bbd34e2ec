/**
 * Marks responses that are specific to one client, so that caches do not serve them to other clients.
 *
 * @module
 */

import { exchangesOf, valuesOf } from "../exchange/exchange.ts";
import { Key, type Values } from "../exchange/values.ts";
import { type Context, exchangeOf } from "./context.ts";

const countKey: Key<number> = Key<number>("client bound");
const textKey: Key<readonly string[]> = Key<readonly string[]>("client texts");
const headers = new Set<string>();

/** The minimum length of a string to search for. Shorter strings may appear in a page by chance. */
const shortestText = 16;

/** Records that the response contains something only this client can use, such as a CSRF token. */
export function noteClientBound(ctx: Context): void {
  // The response of a mounted application becomes the response of the application around it.
  for (const each of exchangesOf(exchangeOf(ctx))) {
    const values = valuesOf(each);
    values.Set(countKey, (values.Get(countKey) ?? 0) + 1);
  }
}

/**
 * Records a random string that is meant only for this client, such as a nonce. A page that contains the string must not
 * be shared.
 */
export function noteClientText(ctx: Context, text: string): void {
  for (const each of exchangesOf(exchangeOf(ctx))) valuesOf(each).Set(textKey, [...textsOf(valuesOf(each)), text]);
}

/** Declares a header that is meant for a single client in all responses, such as a request ID. */
export function declareClientHeader(name: string): void {
  headers.add(name.toLowerCase());
}

/** Returns how many client-specific values the response contains. */
export function clientBoundCount(ctx: Context): number {
  return ctx.Values().Get(countKey) ?? 0;
}

/** Returns the strings that are meant only for this client. */
export function clientTexts(ctx: Context): readonly string[] {
  // A page of a mounted application may contain the nonce of the application around it.
  const texts = [...exchangesOf(exchangeOf(ctx))].flatMap((each) => textsOf(valuesOf(each)));
  return [...texts, ctx.GetID()].filter((text) => text.length >= shortestText);
}

function textsOf(values: Values): readonly string[] {
  return values.Get(textKey) ?? [];
}

/** Reports whether a header is meant for a single client. */
export function isClientHeader(name: string): boolean {
  return headers.has(name);
}
