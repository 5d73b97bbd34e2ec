/**
 * Session ids.
 *
 * @module
 */
import { FrameworkError } from "../base/errors.ts";

/** 192 random bits: guessing one of a billion live sessions at a million tries a second takes 10^35 years. */
const bytes = 24;

/** Makes an id that nobody can guess. */
export function randomID(): string {
  return crypto.getRandomValues(new Uint8Array(bytes)).toBase64({ alphabet: "base64url" });
}

/** Says whether a text could be an id: what a stranger sends is not shown to the store before it has this shape. */
export function isID(text: string): boolean {
  return /^[A-Za-z0-9._~-]{1,128}$/.test(text);
}

/** Makes an id by a generator of the application's, whose answer is checked. */
export function generatedID(generator: () => string): string {
  const id = generator();
  if (typeof id === "string" && isID(id)) return id;
  throw new FrameworkError(
    "FW_SESSION",
    `Cannot use the session id "${id}": it must have 1 to 128 letters, digits, dots, tildes, hyphens or underscores`,
  );
}
