/**
 * The session cookie, coming and going.
 *
 * @module
 */
import type { Context } from "../context/context.ts";
import type { CookieOptions } from "../context/cookies.ts";
import type { Settings } from "./config.ts";
import { isID } from "./id.ts";
import { cookieLifetime } from "./lifetimes.ts";

/** How many different ids of one request are looked up; a request with more is as good as one with none. */
const mostIDs = 3;
const noIDs: readonly string[] = [];

/**
 * Reads the ids that a request brings.
 *
 * There may be several cookies of the name: one of an earlier configuration with another path or domain, or one that a
 * sibling subdomain has planted to have the visitor use its own session.
 */
export function readIDs(ctx: Context, name: string): readonly string[] {
  const header = ctx.GetHeader("cookie");
  if (header === "") return noIDs;
  const ids = new Set<string>();
  for (const pair of header.split(";")) {
    const at = pair.indexOf("=");
    if (at < 0 || pair.slice(0, at).trim() !== name) continue;
    const id = pair.slice(at + 1).trim();
    if (isID(id)) ids.add(id);
  }
  return ids.size > mostIDs ? noIDs : [...ids];
}

/** Says whether a request brings the cookie, with whatever value. */
export function bringsCookie(ctx: Context, name: string): boolean {
  return ctx.GetHeader("cookie").includes(`${name}=`);
}

/** Sends the cookie. */
export function sendCookie(ctx: Context, settings: Settings, id: string, expires: number): void {
  const lifetime = cookieLifetime(expires);
  const options = attributes(settings);
  if (lifetime !== undefined) {
    options.MaxAge = lifetime;
    options.Expires = new Date(Date.now() + lifetime * 1000);
  }
  ctx.SetCookie(settings.cookie, id, options);
}

/** Makes the client forget the cookie. */
export function removeCookie(ctx: Context, settings: Settings): void {
  ctx.RemoveCookie(settings.cookie, attributes(settings));
}

function attributes(settings: Settings): CookieOptions {
  return {
    Path: settings.path,
    SameSite: settings.sameSite,
    HttpOnly: true,
    ...settings.domain !== undefined && { Domain: settings.domain },
    ...settings.secure !== undefined && { Secure: settings.secure },
  };
}
