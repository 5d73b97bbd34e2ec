/**
 * The secrets of the environment, which log lines must not contain.
 *
 * @module
 */

import { escapeControls } from "./describe.ts";

/** The text that replaces a secret. */
export const MASK = "…";
/** The minimum length of a secret. A shorter one would mask parts of ordinary words. */
const SHORTEST = 4;

let secrets: readonly string[] = [];

/**
 * Masks a value in all log lines that are written from now on.
 *
 * @param value The secret. Secrets of fewer than four characters are not masked.
 */
export function addSecret(value: string): void {
  // A stack trace shows each line of a message separately, and a private key has several.
  const forms = [value, ...value.split(/\r?\n/)].map((text) => text.trim()).filter((text) => text.length >= SHORTEST)
    .flatMap((text) => [text, escapeControls(text), JSON.stringify(text).slice(1, -1), encodeURIComponent(text)]);
  // The longest first, because a secret may contain another one.
  secrets = [...new Set([...secrets, ...forms])].sort((one, other) => other.length - one.length);
}

/**
 * Masks all known secrets in a log line.
 *
 * @param text The log line.
 * @returns The log line without the secrets.
 */
export function maskSecrets(text: string): string {
  let masked = text;
  for (const secret of secrets) if (masked.includes(secret)) masked = masked.replaceAll(secret, MASK);
  return masked;
}
