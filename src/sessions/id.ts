/**
 * Session IDs.
 *
 * @module
 */
import { FrameworkError } from "../errors/errors.ts";

/**
 * The number of random bytes, which is 192 bits. With a million attempts per second, guessing one of a billion sessions
 * takes 10^35 years.
 */
const bytes = 24;

/** Generates a random session ID. */
export function randomID(): string {
  return crypto.getRandomValues(new Uint8Array(bytes)).toBase64({ alphabet: "base64url" });
}

/** Reports whether a string has the form of a session ID. Other strings are not passed to the store. */
export function isID(text: string): boolean {
  return /^[A-Za-z0-9._~-]{1,128}$/.test(text);
}

/** Generates a session ID with the application's generator, and validates it. */
export function generatedID(generator: () => string): string {
  const id = generator();
  if (typeof id === "string" && isID(id)) return id;
  throw new FrameworkError(
    "FW_SESSION",
    `Cannot use the session ID "${id}": it must have 1 to 128 letters, digits, dots, tildes, hyphens or underscores`,
  );
}
