/**
 * Marks responses that are specific to one client, so that caches do not serve them to other clients.
 *
 * @module
 */

import { Key } from "../exchange/values.ts";
import type { Context } from "./context.ts";

const countKey: Key<number> = Key<number>("client bound");
const textKey: Key<string> = Key<string>("client text");
const headers = new Set<string>();

/** The minimum length of a string to search for. Shorter strings may appear in a page by chance. */
const shortestText = 16;

/** Records that the response contains something only this client can use, such as a CSRF token. */
export function noteClientBound(ctx: Context): void {
  ctx.Values().Set(countKey, clientBoundCount(ctx) + 1);
}

/**
 * Records a random string that is meant only for this client, such as a nonce. A page that contains the string must not
 * be shared.
 */
export function noteClientText(ctx: Context, text: string): void {
  ctx.Values().Set(textKey, text);
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
  return [ctx.Values().Get(textKey) ?? "", ctx.GetID()].filter((text) => text.length >= shortestText);
}

/** Reports whether a header is meant for a single client. */
export function isClientHeader(name: string): boolean {
  return headers.has(name);
}
