/**
 * The cookies of a request, including those that its handlers have set.
 *
 * @module
 */

import { flag, kind, methods, text } from "../../base/config/option_kinds.ts";
import { assertOptions, checkText, optionTable } from "../../base/config/option_table.ts";
import { checkAttributes, cookieOf, type CookieOptions, writeCookie } from "../../http/response/cookies.ts";
import type { CookieSeal } from "../../http/response/sealed_cookies.ts";
import { type Exchange, outerExchange, valuesOf } from "./exchange.ts";
import { cookieFor } from "./public_url.ts";
import { handlerHeaders } from "./request_header.ts";
import { Key } from "./values.ts";

const sealTable = optionTable<CookieSeal>("CookieSeal", "GetCookie")({
  Sign: methods("Sign", "Verify"),
  Encrypt: methods("Encrypt", "Decrypt"),
});
// The errors about invalid attributes contain the name of the cookie.
const table = optionTable<CookieOptions>("CookieOptions", "SetCookie")({
  ...sealTable.rows,
  Path: text(),
  Domain: text(),
  MaxAge: kind<number, undefined>("a number", (value) => typeof value === "number", undefined),
  Expires: kind<Date, undefined>("a date", (value) => value instanceof Date, undefined),
  Secure: flag(),
  HttpOnly: flag(),
  SameSite: kind("a string", (value) => typeof value === "string", undefined),
  Partitioned: flag(),
});

const optionsKey: Key<CookieOptions> = Key<CookieOptions>("cookie options");

/** Adds options for the cookies that the handlers of a request set and read from now on. */
export function addCookieOptions<C>(exchange: Exchange<C>, options: CookieOptions): void {
  assertOptions(table, options, "AddCookieOptions");
  checkAttributes(options, "set the options of cookies");
  valuesOf(exchange).Set(optionsKey, withDefaults(exchange, options));
}

/** Adds a cookie to the response. */
export function setCookie<C>(exchange: Exchange<C>, name: string, value: string, options: CookieOptions): void {
  checkText(name, "name", "SetCookie");
  assertOptions(table, options);
  const all = withDefaults(exchange, options);
  writeCookie(exchange.draft, cookieFor(exchange.target, name, value, all.Path), all);
}

/** Removes a cookie from the client. */
export function removeCookie<C>(exchange: Exchange<C>, name: string, options: CookieOptions): void {
  assertOptions(table, options, "RemoveCookie");
  setCookie(exchange, name, "", { ...options, MaxAge: 0, Expires: new Date(0) });
}

/** Returns a cookie, as the next request of the client would send it. */
export function getCookie<C>(exchange: Exchange<C>, name: string, seal: CookieSeal = {}): string {
  assertOptions(sealTable, seal);
  return cookieOf(cookieHeaders(exchange), exchange.draft, name, withDefaults(exchange, seal));
}

/** Adds the options of the request to those of a cookie, except for those that say the same in another way. */
function withDefaults<C>({ values }: Exchange<C>, options: CookieOptions): CookieOptions {
  const common = values?.Get(optionsKey);
  if (common === undefined) return options;
  const { Sign: _sign, Encrypt: _encrypt, ...unsealed } = common;
  const sealed = options.Sign === undefined && options.Encrypt === undefined ? common : unsealed;
  const { MaxAge: _age, Expires: _expires, ...timeless } = sealed;
  return { ...options.MaxAge === undefined && options.Expires === undefined ? sealed : timeless, ...options };
}

/** Returns the request headers, for handlers that read a cookie. */
export function cookieHeaders<C>(exchange: Exchange<C>): Headers {
  noteCookies(exchange);
  return handlerHeaders(exchange);
}

/**
 * Records that handlers have read a cookie or the session, so that their response may be specific to the client. The
 * response of a mounted application is also that of the application around it.
 */
export function noteCookies<C>(exchange: Exchange<C>): void {
  // A generator would take longer, and every request with a session needs this.
  for (let at: Exchange<C> | undefined = exchange; at !== undefined; at = outerExchange(at)) at.readsCookies = true;
}
