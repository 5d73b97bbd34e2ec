/**
 * Identifies the caller of a message.
 *
 * @module
 */

import type { Context } from "../context/context.ts";

/**
 * Returns a digest of the caller: the user whom a guard of the endpoint has authenticated, or the credentials that only
 * the guards of the tools check.
 *
 * @param ctx The request context.
 * @returns The digest, or an empty string if the caller is anonymous.
 */
export async function callerDigest(ctx: Context): Promise<string> {
  const user = ctx.User();
  const caller = user === undefined
    ? ctx.GetHeader("authorization")
    : JSON.stringify([user.Method, user.Claims?.["iss"] ?? "", user.ID]);
  return caller === "" ? "" : await digest(caller);
}

/** Returns the SHA-256 digest of a string, in base64. */
export async function digest(text: string): Promise<string> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text))).toBase64();
}
