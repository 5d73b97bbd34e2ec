// The functions from npm, which have no types, with the types of the real package.
import * as real from "npm:deno-std@1.4.0/http/cookie.js";

/** A cookie for `Set-Cookie`. */
export interface Cookie {
  name: string;
  value: string;
  expires?: Date | number;
  maxAge?: number;
  domain?: string;
  path?: string;
  secure?: boolean;
  httpOnly?: boolean;
  partitioned?: boolean;
  sameSite?: "Strict" | "Lax" | "None";
  unparsed?: string[];
}

export const getCookies: (headers: Headers) => Partial<Record<string, string>> = real.getCookies;
export const setCookie: (headers: Headers, cookie: Cookie) => void = real.setCookie;
export const deleteCookie: (
  headers: Headers,
  name: string,
  attributes?: Pick<Cookie, "path" | "domain" | "secure" | "httpOnly" | "partitioned">,
) => void = real.deleteCookie;
export const getSetCookies: (headers: Headers) => Cookie[] = real.getSetCookies;
