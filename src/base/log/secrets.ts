/**
 * The secrets that log lines must not contain: those of the environment, and the signatures of one-time tokens.
 *
 * @module
 */

import { escapeControls } from "./describe.ts";

/** The text that replaces a secret. */
export const MASK = "…";
/** The minimum length of a secret. A shorter one would mask parts of ordinary words. */
const SHORTEST = 4;

/** The signature of a token of `@fw/web/tokens`, after its expiry. Links in mails contain tokens. */
const signature = /(\.[\da-z]{6}\.)[\w-]{43,}/g;

let secrets: readonly string[] = [];

/**
 * Masks a value in all log lines that are written from now on.
 *
 * @param value The secret. Secrets of fewer than four characters are not masked.
 */
export function addSecret(value: string): void {
  // A stack trace shows each line of a message separately, and a private key has several.
  const forms = [value, ...value.split(/\r?\n/)].flatMap((text) => [text, ...decodedForms(text)])
    .map((text) => text.trim()).filter((text) => text.length >= SHORTEST).flatMap(writtenForms);
  // The longest first, because a secret may contain another one.
  secrets = [...new Set([...secrets, ...forms])].sort((one, other) => other.length - one.length);
}

/** Returns the forms in which a library may show a secret that is written in an encoding, such as that of a URL. */
function decodedForms(text: string): string[] {
  const forms: string[] = [];
  try {
    forms.push(decodeURIComponent(text), decodeURIComponent(text.replaceAll("+", " ")));
  } catch {
    // It is not percent-encoded.
  }
  const [, base64 = ""] = /^(?:[a-z]+_)?([\w+/-]{8,}={0,2})$/.exec(text) ?? [];
  const decoded = bytesOfBase64(base64);
  if (decoded === undefined) return forms;
  const plain = new TextDecoder().decode(decoded);
  // Random bytes are not text, and are shown as hexadecimal digits at most.
  return [...forms, /[\p{C}\uFFFD]/u.test(plain) ? decoded.toHex() : plain];
}

function bytesOfBase64(text: string): Uint8Array | undefined {
  try {
    return text === "" ? undefined : Uint8Array.fromBase64(text.replaceAll("-", "+").replaceAll("_", "/"));
  } catch {
    return undefined;
  }
}

/** Returns the forms in which a secret is written into headers, URLs and messages. */
function writtenForms(text: string): string[] {
  const bytes = new TextEncoder().encode(text);
  const [inURL, base64] = [encodeURIComponent(text.toWellFormed()), bytes.toBase64({ omitPadding: true })];
  return [
    text,
    escapeControls(text),
    JSON.stringify(text).slice(1, -1),
    inURL,
    inURL.replaceAll("%20", "+"),
    base64,
    base64.replaceAll("+", "-").replaceAll("/", "_"),
  ];
}

/**
 * Masks all known secrets and the signatures of tokens in a log line. Without its signature, a token is not valid.
 *
 * @param text The log line.
 * @returns The log line without the secrets.
 */
export function maskSecrets(text: string): string {
  let masked = text.replace(signature, `$1${MASK}`);
  for (const secret of secrets) if (masked.includes(secret)) masked = masked.replaceAll(secret, MASK);
  return masked;
}
