/**
 * Cookies with secure defaults.
 *
 * @module
 */

import { checkText } from "../../base/config/option_table.ts";
import { type Cookie as StandardCookie, setCookie } from "@std/http/cookie";
import { FrameworkError } from "../../base/errors/errors.ts";
import { messageOf } from "../../base/errors/to_error.ts";
import { trimBlanks } from "../headers/header.ts";
import { addHeader, type Draft } from "./draft.ts";
import { type CookieSeal, openValue, sealValue } from "./sealed_cookies.ts";

/** Options for setting a cookie. */
export interface CookieOptions extends CookieSeal {
  /**
   * The path of the application that the cookie is sent for. `/` means the whole host. Defaults to the base path of the
   * application, or `/` if it has none.
   */
  Path?: string;
  /** The domain that the cookie is sent to. Defaults to the current host only. */
  Domain?: string;
  /**
   * The lifetime of the cookie, in milliseconds. It is rounded up to whole seconds. If neither `MaxAge` nor `Expires`
   * is set, the cookie expires at the end of the browser session.
   */
  MaxAge?: number;
  /** The expiration date. */
  Expires?: Date;
  /** Whether the cookie is sent only over TLS. Defaults to `true` if the request uses TLS. */
  Secure?: boolean;
  /**
   * Whether the cookie is hidden from scripts.
   *
   * @default {true}
   */
  HttpOnly?: boolean;
  /**
   * Whether the cookie is sent with requests from other sites.
   *
   * @default {"Lax"}
   */
  SameSite?: "Strict" | "Lax" | "None";
  /**
   * Whether the cookie is stored separately for each embedding site.
   *
   * @default {false}
   */
  Partitioned?: boolean;
}

/** A cookie and the attributes that depend on the request. */
export interface SentCookie {
  readonly name: string;
  readonly value: string;
  readonly path: string;
  readonly secure: boolean;
}

/** Throws if an attribute of a cookie is invalid. */
export function checkAttributes(options: CookieOptions, act: string): void {
  const fault = faultOf(options);
  if (fault !== undefined) throw new FrameworkError("FW_COOKIE", `Cannot ${act}: ${fault}`);
}

/** Adds a cookie to the response. */
export function writeCookie(draft: Draft, cookie: SentCookie, options: CookieOptions): void {
  checkAttributes(options, `send the cookie "${cookie.name}"`);
  const { Domain, MaxAge, Expires, HttpOnly, SameSite, Partitioned } = options;
  const isRemoval = MaxAge === 0;
  const standard: StandardCookie = {
    name: cookie.name,
    value: encodeValue(isRemoval ? cookie.value : sealValue(cookie.name, cookie.value, options, lifetimeOf(options))),
    path: cookie.path,
    httpOnly: HttpOnly ?? true,
    sameSite: SameSite ?? "Lax",
    // Browsers reject a `SameSite=None` cookie that is not secure.
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
 * Reads a request cookie. Returns an empty string if the cookie is missing or its seal is invalid. If there are several
 * cookies with the same name, the first one is used. Browsers send the cookie with the most specific path first.
 */
export function readCookie(headers: Headers, name: string, seal?: CookieSeal): string {
  const values = cookieValues(headers, name);
  if (seal?.Sign !== undefined || seal?.Encrypt !== undefined) return openValue(name, values, seal);
  for (const value of values) return value;
  return "";
}

/**
 * Reads a cookie as {@linkcode readCookie} does. If the response sets or removes it, that value is returned instead.
 */
export function cookieOf(headers: Headers, draft: Draft, name: string, seal: CookieSeal): string {
  const set = setCookies(draft).get(name);
  if (set === undefined) return readCookie(headers, name, seal);
  const { value, isRemoved } = set;
  if (isRemoved) return "";
  const isSealed = seal.Sign !== undefined || seal.Encrypt !== undefined;
  return isSealed ? openValue(name, [decodeValue(value)], seal) : decodeValue(value);
}

/**
 * Returns the request headers for an application inside this one, which sees the cookies that the response sets or
 * removes.
 */
export function headersWithCookies(headers: Headers, draft: Draft): Headers {
  const set = setCookies(draft);
  if (set.size === 0) return headers;
  const pairs = (headers.get("cookie")?.split(";") ?? []).map(trimBlanks)
    .filter((pair) => pair !== "" && !set.has(trimBlanks(pair.split("=", 1)[0] ?? "")));
  for (const [name, { value, isRemoved }] of set) if (!isRemoved) pairs.push(`${name}=${value}`);
  const changed = new Headers(headers);
  if (pairs.length === 0) changed.delete("cookie");
  else changed.set("cookie", pairs.join("; "));
  return changed;
}

/** The last value of a cookie that a response sets, encoded as it is sent. */
interface SetValue {
  readonly value: string;
  readonly isRemoved: boolean;
}

const none: ReadonlyMap<string, SetValue> = new Map<string, SetValue>();

/** Returns the cookies that a response sets or removes, by name. */
function setCookies({ headers, response }: Draft): ReadonlyMap<string, SetValue> {
  const lines = response?.headers.getSetCookie() ?? [];
  for (const [name, line] of headers ?? []) if (name === "set-cookie") lines.push(line);
  if (lines.length === 0) return none;
  return new Map(lines.map((line) => {
    const [pair = ""] = line.split(";", 1);
    const border = pair.indexOf("=");
    const isRemoved = /;\s*max-age=(?:0|-\d+)\s*(?:;|$)/i.test(line);
    return [trimBlanks(pair.slice(0, border)), { value: trimBlanks(pair.slice(border + 1)), isRemoved }];
  }));
}

/**
 * Yields the values of a cookie. `@std/http` is not used, because it throws on a cookie without a name, and any site on
 * the same domain can set one.
 */
function* cookieValues(headers: Headers, name: string): Generator<string> {
  for (const pair of headers.get("cookie")?.split(";") ?? []) {
    const border = pair.indexOf("=");
    if (border > 0 && trimBlanks(pair.slice(0, border)) === name) {
      yield decodeValue(trimBlanks(pair.slice(border + 1)));
    }
  }
}

/**
 * Returns the cookie's lifetime, in milliseconds, or `undefined` if the cookie expires at the end of the browser
 * session.
 */
function lifetimeOf(options: CookieOptions): number | undefined {
  if (options.MaxAge !== undefined) return options.MaxAge;
  return options.Expires === undefined ? undefined : options.Expires.getTime() - Date.now();
}

/**
 * Returns a description of an invalid option, if there is one. `@std/http` would write such options unchanged or
 * silently ignore them.
 */
function faultOf(options: CookieOptions): string | undefined {
  const { Path, Domain, MaxAge, Expires, SameSite } = options;
  if (Path !== undefined && !Path.startsWith("/")) return `Path must begin with "/", not "${Path}"`;
  if (options.Sign !== undefined && options.Encrypt !== undefined) return "an encrypted cookie must not be signed too";
  if (Domain !== undefined && !isDomain(Domain)) {
    return `Domain must be a host name, not "${Domain}"`;
  }
  if (MaxAge !== undefined && !isDuration(MaxAge)) {
    return `MaxAge must be a non-negative number of milliseconds, not "${MaxAge}"`;
  }
  if (Expires !== undefined && Number.isNaN(Expires.getTime())) return "Expires is not a valid date";
  if (SameSite !== undefined && !["Strict", "Lax", "None"].includes(SameSite)) {
    return `SameSite must be Strict, Lax or None, not "${SameSite}"`;
  }
  return undefined;
}

/** Reports whether a string can be the domain of a cookie. */
export function isDomain(text: string): boolean {
  return /^\.?[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*$/.test(text);
}

/** Encodes a cookie value. Only a few characters are allowed in cookies. All others are percent-encoded. */
function encodeValue(value: string): string {
  checkText(value, "value", "SetCookie");
  return value.toWellFormed().replace(/[^!#$&'()*+\-./0-9:<=>?@A-Z[\]^_`a-z{|}~]/gu, encodeURIComponent);
}

/** Decodes a cookie value. A value that is not encoded correctly is returned as it is. */
export function decodeValue(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

/**
 * Reports whether a value is a valid duration: a finite, non-negative number of milliseconds that a header can
 * represent.
 */
function isDuration(value: number): boolean {
  return value >= 0 && value <= Number.MAX_SAFE_INTEGER;
}
