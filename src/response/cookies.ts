/**
 * Cookies, with defaults that keep them from scripts and other sites.
 *
 * @module
 */

import { type Cookie as StandardCookie, setCookie } from "@std/http/cookie";
import { isDuration } from "../base/duration.ts";
import { FrameworkError } from "../base/errors.ts";
import { messageOf } from "../base/to_error.ts";
import { trimBlanks } from "../http/blanks.ts";
import { addHeader, type Draft } from "./draft.ts";
import { type CookieSeal, openValue, sealValue } from "./sealed_cookies.ts";

/** How a cookie is sent; what is left out has a safe default. */
export interface CookieOptions extends CookieSeal {
  /** The path it is sent for; `/` by default. */
  Path?: string;
  /** The domain it is sent to; the host itself by default. */
  Domain?: string;
  /**
   * The lifetime of the cookie, in milliseconds, sent as whole seconds, rounded up. If neither `MaxAge` nor `Expires`
   * is set, the cookie ends with the browser session.
   */
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

/** Adds a cookie to the response. */
export function writeCookie(
  draft: Draft,
  cookie: { name: string; value: string; secure: boolean },
  options: CookieOptions,
): void {
  const fault = faultOf(options);
  if (fault !== undefined) throw new FrameworkError("FW_COOKIE", `Cannot send the cookie "${cookie.name}": ${fault}`);
  const { Path, Domain, MaxAge, Expires, HttpOnly, SameSite, Partitioned } = options;
  const isRemoval = MaxAge === 0;
  const standard: StandardCookie = {
    name: cookie.name,
    value: encodeValue(isRemoval ? cookie.value : sealValue(cookie.name, cookie.value, options, lifetimeOf(options))),
    path: Path ?? "/",
    httpOnly: HttpOnly ?? true,
    sameSite: SameSite ?? "Lax",
    // A browser drops a cookie that other sites may send but that is not secure.
    secure: options.Secure ?? (cookie.secure || SameSite === "None"),
    ...Domain !== undefined && { domain: Domain },
    ...MaxAge !== undefined && { maxAge: Math.ceil(MaxAge / 1000) },
    ...Expires !== undefined && { expires: Expires },
    ...Partitioned !== undefined && { partitioned: Partitioned },
  };
  const headers = new Headers();
  try {
    setCookie(headers, standard);
  } catch (error) {
    throw new FrameworkError("FW_COOKIE", `Cannot send the cookie "${cookie.name}": ${messageOf(error)}`, {
      cause: error,
    });
  }
  const [line] = headers.getSetCookie();
  if (line === undefined) throw new FrameworkError("FW_COOKIE", "Cannot send a cookie: its name is empty");
  addHeader(draft, "set-cookie", line);
}

/**
 * Reads a cookie of the request; empty if it is absent, or was not sealed as it should be. Of several the first counts,
 * which browsers send for the nearest path.
 */
export function readCookie(headers: Headers, name: string, seal?: CookieSeal): string {
  const values = valuesOf(headers, name);
  if (seal?.Sign !== undefined || seal?.Encrypt !== undefined) return openValue(name, values, seal);
  for (const value of values) return value;
  return "";
}

/** Not by @std/http: it throws at a pair without a name, which any site of the same domain can give a browser. */
function* valuesOf(headers: Headers, name: string): Generator<string> {
  for (const pair of headers.get("cookie")?.split(";") ?? []) {
    const border = pair.indexOf("=");
    if (border > 0 && trimBlanks(pair.slice(0, border)) === name) {
      yield decodeValue(trimBlanks(pair.slice(border + 1)));
    }
  }
}

/** The lifetime of a cookie, in milliseconds; `undefined` if the cookie ends with the browser session. */
function lifetimeOf(options: CookieOptions): number | undefined {
  if (options.MaxAge !== undefined) return options.MaxAge;
  return options.Expires === undefined ? undefined : options.Expires.getTime() - Date.now();
}

/** What @std/http would write into the line as it is, or silently leave out. */
function faultOf(options: CookieOptions): string | undefined {
  const { Domain, MaxAge, Expires, SameSite } = options;
  if (options.Sign !== undefined && options.Encrypt !== undefined) return "what is encrypted needs no signature";
  if (Domain !== undefined && !/^\.?[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*$/.test(Domain)) {
    return `its domain "${Domain}" is not a host name`;
  }
  if (MaxAge !== undefined && !isDuration(MaxAge)) {
    return `its MaxAge "${MaxAge}" is not a number of milliseconds from 0 up`;
  }
  if (Expires !== undefined && Number.isNaN(Expires.getTime())) return "the day it ends is not a day";
  if (SameSite !== undefined && !["Strict", "Lax", "None"].includes(SameSite)) {
    return `its SameSite "${SameSite}" is not one of Strict, Lax, None`;
  }
  return undefined;
}

/** A cookie's value may hold few characters; the others travel percent-escaped. */
function encodeValue(value: string): string {
  return value.toWellFormed().replace(/[^!#$&'()*+\-./0-9:<=>?@A-Z[\]^_`a-z{|}~]/gu, encodeURIComponent);
}

function decodeValue(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}
