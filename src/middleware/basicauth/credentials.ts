/**
 * The `Authorization` header of basic authentication (RFC 7617).
 *
 * @module
 */

/** A name and a password, as sent by the client. */
export interface Credentials {
  readonly name: string;
  readonly password: string;
}

/** The maximum header length. Hashing longer values would only take time. */
const longest = 2048;
const decoder = new TextDecoder("utf-8", { fatal: true });

/**
 * Parses the `Authorization` header.
 *
 * @param header The header value.
 * @returns The credentials, or `undefined` if the header contains no valid ones.
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
 * Formats the challenge that requests credentials.
 *
 * @param realm The realm, which some browsers show to the user.
 * @returns The value of the `WWW-Authenticate` header.
 */
export function challenge(realm: string): string {
  return `Basic realm="${realm.replace(/["\\]/g, "\\$&")}", charset="UTF-8"`;
}

function decode(base64: string): string | undefined {
  try {
    return decoder.decode(Uint8Array.fromBase64(base64));
  } catch {
    // The header is not valid base64 or UTF-8.
    return undefined;
  }
}
