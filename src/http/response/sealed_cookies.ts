/**
 * Signed and encrypted cookies.
 *
 * @module
 */

import { returnedString } from "../../base/config/returned.ts";

/** The keys that sign and encrypt cookies, such as a key ring from `@fw/web/keys`. */
export interface CookieKeys {
  /** Signs a string for a purpose, with an optional lifetime in milliseconds. */
  Sign(purpose: string, text: string, lifetime?: number): string;
  /** Returns the string if it was signed for the purpose, or `undefined` otherwise. */
  Verify(purpose: string, signed: string): string | undefined;
  /** Encrypts a string for a purpose, with an optional lifetime in milliseconds. */
  Encrypt(purpose: string, text: string, lifetime?: number): string;
  /** Returns the string if it was encrypted for the purpose, or `undefined` otherwise. */
  Decrypt(purpose: string, sealed: string): string | undefined;
}

/** Options that protect a cookie's value from being changed or read. Set at most one of them. */
export interface CookieSeal {
  /** The keys that sign the value. The client can read the value but not change it. */
  Sign?: CookieKeys;
  /** The keys that encrypt the value. The client can neither read nor change the value. */
  Encrypt?: CookieKeys;
}

/**
 * Seals a value for the client. The value cannot be opened after its lifetime, in milliseconds, even if the client
 * keeps the cookie.
 */
export function sealValue(name: string, value: string, seal: CookieSeal, lifetime: number | undefined): string {
  // The value is bound to the cookie's name, so that it cannot be used for another cookie.
  const { Sign, Encrypt } = seal;
  if (Sign !== undefined) return returnedString(Sign.Sign(`cookie:${name}`, value, lifetime), "Sign of a cookie");
  if (Encrypt === undefined) return value;
  return returnedString(Encrypt.Encrypt(`cookie:${name}`, value, lifetime), "Encrypt of a cookie");
}

/**
 * Returns the first value with a valid seal. A site on the same domain can set other cookies with the same name, but it
 * cannot seal them.
 */
export function openValue(name: string, values: Iterable<string>, seal: CookieSeal): string {
  for (const value of values) {
    const opened = seal.Sign !== undefined
      ? seal.Sign.Verify(`cookie:${name}`, value)
      : seal.Encrypt?.Decrypt(`cookie:${name}`, value);
    if (opened !== undefined) return returnedString(opened, "the keys of a cookie");
  }
  return "";
}
