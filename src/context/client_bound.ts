/**
 * What of a response is bound to one client, for caches that would give it to others.
 *
 * @module
 */

import type { Context } from "./context.ts";
import { Key } from "./values.ts";

const countKey: Key<number> = Key<number>("client bound");
const textKey: Key<string> = Key<string>("client text");
const headers = new Set<string>();

/** A text that is shorter may stand in a page by chance. */
const shortestText = 16;

/** Notes that something was handed out that only this client can use, such as a token for its forms. */
export function noteClientBound(ctx: Context): void {
  ctx.Values().Set(countKey, clientBoundCount(ctx) + 1);
}

/** Notes a random text that is only for this client, such as a nonce: a page that holds it is not for others. */
export function noteClientText(ctx: Context, text: string): void {
  ctx.Values().Set(textKey, text);
}

/** Declares, once for all requests, a header that is for one client alone, such as a request id. */
export function declareClientHeader(name: string): void {
  headers.add(name.toLowerCase());
}

/** Returns how often something was handed out that only this client can use. */
export function clientBoundCount(ctx: Context): number {
  return ctx.Values().Get(countKey) ?? 0;
}

/** Returns the texts that are only for this client. */
export function clientTexts(ctx: Context): readonly string[] {
  return [ctx.Values().Get(textKey) ?? "", ctx.GetID()].filter((text) => text.length >= shortestText);
}

/** Reports whether a header is for one client alone. */
export function isClientHeader(name: string): boolean {
  return headers.has(name);
}
