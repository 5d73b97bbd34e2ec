/**
 * Cookies that the client cannot change, or cannot even read.
 *
 * @module
 */

/** What signs and encrypts cookies; a ring of `@fw/web/keys` does. */
export interface CookieKeys {
  /** Signs a text for a purpose, for some milliseconds or for ever. */
  Sign(purpose: string, text: string, lifetime?: number): string;
  /** Returns a text that was signed for the purpose, or `undefined`. */
  Verify(purpose: string, signed: string): string | undefined;
  /** Encrypts a text for a purpose, for some milliseconds or for ever. */
  Encrypt(purpose: string, text: string, lifetime?: number): string;
  /** Returns a text that was encrypted for the purpose, or `undefined`. */
  Decrypt(purpose: string, sealed: string): string | undefined;
}

/** How the value of a cookie is kept from being changed or read; at most one of both. */
export interface CookieSeal {
  /** Keys that sign the value: the client can read it and not change it. */
  Sign?: CookieKeys;
  /** Keys that encrypt the value: the client can neither read nor change it. */
  Encrypt?: CookieKeys;
}

/** Seals a value for the client. It is valid for its lifetime, in milliseconds, whatever the client does with it. */
export function sealValue(name: string, value: string, seal: CookieSeal, lifetime: number | undefined): string {
  // Bound to its name: the value of one cookie must not pass for that of another.
  if (seal.Sign !== undefined) return seal.Sign.Sign(`cookie:${name}`, value, lifetime);
  return seal.Encrypt?.Encrypt(`cookie:${name}`, value, lifetime) ?? value;
}

/** The first value that was sealed here. A sibling site can plant others of the name in front, but cannot seal them. */
export function openValue(name: string, values: Iterable<string>, seal: CookieSeal): string {
  for (const value of values) {
    const opened = seal.Sign !== undefined
      ? seal.Sign.Verify(`cookie:${name}`, value)
      : seal.Encrypt?.Decrypt(`cookie:${name}`, value);
    if (opened !== undefined) return opened;
  }
  return "";
}
