/**
 * The header `Authorization` of basic authentication (RFC 7617).
 *
 * @module
 */

/** A name and a password, as the client sent them. */
export interface Credentials {
  readonly name: string;
  readonly password: string;
}

/** Far more than any name and password need; longer ones only cost time to hash. */
const longest = 2048;
const decoder = new TextDecoder("utf-8", { fatal: true });

/**
 * Reads the header.
 *
 * @param header The value of `Authorization`.
 * @returns The credentials, or `undefined` when the header brings none that can be read.
 */
export function readCredentials(header: string): Credentials | undefined {
  const match = /^basic +([A-Za-z0-9+/]+={0,2}) *$/i.exec(header);
  if (match === null || header.length > longest) return undefined;
  const text = decode(match[1] ?? "");
  const colon = text?.indexOf(":") ?? -1;
  // deno-lint-ignore no-control-regex -- the standard forbids control characters in names and passwords.
  if (text === undefined || colon < 0 || /[\0-\x1f\x7f]/.test(text)) return undefined;
  return { name: text.slice(0, colon), password: text.slice(colon + 1) };
}

/**
 * Writes the header that asks for credentials.
 *
 * @param realm What the credentials are for, shown by some browsers.
 * @returns The value of `WWW-Authenticate`.
 */
export function challenge(realm: string): string {
  return `Basic realm="${realm.replace(/["\\]/g, "\\$&")}", charset="UTF-8"`;
}

function decode(base64: string): string | undefined {
  try {
    return decoder.decode(Uint8Array.fromBase64(base64));
  } catch {
    // Neither base64 nor UTF-8: no credentials that anyone could have been given.
    return undefined;
  }
}
