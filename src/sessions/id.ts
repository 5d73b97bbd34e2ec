/**
 * Session ids.
 *
 * @module
 */
import { FrameworkError } from "../base/errors.ts";

/** 192 random bits: guessing one of a billion live sessions at a million tries a second takes 10^35 years. */
const bytes = 24;

/** Creates an id that cannot be guessed. */
export function randomID(): string {
  return crypto.getRandomValues(new Uint8Array(bytes)).toBase64({ alphabet: "base64url" });
}

/** Reports whether a text could be an id: what a client sends is not shown to the store unless it has this shape. */
export function isID(text: string): boolean {
  return /^[A-Za-z0-9._~-]{1,128}$/.test(text);
}

/** Creates an id by the application's generator, whose result is checked. */
export function generatedID(generator: () => string): string {
  const id = generator();
  if (typeof id === "string" && isID(id)) return id;
  throw new FrameworkError(
    "FW_SESSION",
    `Cannot use the session id "${id}": it must have 1 to 128 letters, digits, dots, tildes, hyphens or underscores`,
  );
}
