/**
 * Cookies, with defaults that keep them from scripts and other sites.
 *
 * @module
 */

import { type Cookie as StandardCookie, getCookies, setCookie } from "@std/http/cookie";
import { FrameworkError } from "../base/errors.ts";
import { addHeader, type Draft } from "./draft.ts";

/** How a cookie is sent; what is left out has a safe default. */
export interface CookieOptions {
  /** The path it is sent for; `/` by default. */
  Path?: string;
  /** The domain it is sent to; the host itself by default. */
  Domain?: string;
  /** How long it lives, in seconds; without it and `Expires` it ends with the browser session. */
  MaxAge?: number;
  /** When it ends. */
  Expires?: Date;
  /** Sent over TLS only; by default so when the request came over TLS. */
  Secure?: boolean;
  /** Kept from scripts; true by default. */
  HttpOnly?: boolean;
  /** Whether other sites may cause it to be sent; `Lax` by default. */
  SameSite?: "Strict" | "Lax" | "None";
  /** Kept apart by the site that embeds this one. */
  Partitioned?: boolean;
}

/** Adds a cookie to the answer. */
export function writeCookie(
  draft: Draft,
  cookie: { name: string; value: string; secure: boolean },
  options: CookieOptions,
): void {
  const { Path, Domain, MaxAge, Expires, HttpOnly, SameSite, Partitioned } = options;
  const standard: StandardCookie = {
    name: cookie.name,
    value: encodeValue(cookie.value),
    path: Path ?? "/",
    httpOnly: HttpOnly ?? true,
    sameSite: SameSite ?? "Lax",
    // A browser drops a cookie that other sites may send but that is not secure.
    secure: options.Secure ?? (cookie.secure || SameSite === "None"),
    ...Domain !== undefined && { domain: Domain },
    ...MaxAge !== undefined && { maxAge: MaxAge },
    ...Expires !== undefined && { expires: Expires },
    ...Partitioned !== undefined && { partitioned: Partitioned },
  };
  const headers = new Headers();
  try {
    setCookie(headers, standard);
  } catch (error) {
    throw new FrameworkError("FW_COOKIE", `Cannot send the cookie "${cookie.name}": ${reason(error)}`, {
      cause: error,
    });
  }
  const [line] = headers.getSetCookie();
  if (line === undefined) throw new FrameworkError("FW_COOKIE", "Cannot send a cookie: its name is empty");
  addHeader(draft, "set-cookie", line);
}

/** Reads a cookie of the request; empty if it is absent. */
export function readCookie(request: Request, name: string): string {
  const cookies = getCookies(request.headers);
  return Object.hasOwn(cookies, name) ? decodeValue(cookies[name] ?? "") : "";
}

/** A cookie's value may hold few characters; the others travel percent-escaped. */
function encodeValue(value: string): string {
  return value.replace(/[^!#$&'()*+\-./0-9:<=>?@A-Z[\]^_`a-z{|}~]/gu, encodeURIComponent);
}

function decodeValue(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

function reason(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
