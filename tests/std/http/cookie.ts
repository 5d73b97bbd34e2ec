// The real function, given the real package's types: npm's copy carries none.
import * as real from "npm:deno-std@1.4.0/http/cookie.js";

/** A cookie as `Set-Cookie` writes it. */
export interface Cookie {
  name: string;
  value: string;
}
export const setCookie: (headers: Headers, cookie: Cookie) => void = real.setCookie;
