/**
 * Verifies plain-text passwords and their hashes.
 *
 * @module
 */

import type { Buffer } from "node:buffer";
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { FrameworkError } from "../../base/errors/errors.ts";
import { derivedCost, readDerived } from "../password/derived_hash.ts";
import { isReadableHash, verifyHash } from "../password_hash.ts";

/** Compares a password in constant time. */
export type PasswordTest = (given: string) => boolean | Promise<boolean>;

const key = randomBytes(32);

/**
 * Returns a digest that only this process can compute. It always has the same length, so comparing two digests takes
 * constant time. An attacker who reads the memory of another process cannot use it.
 */
export function digest(text: string): Buffer {
  return createHmac("sha256", key).update(text).digest();
}

/**
 * Creates the test for a password.
 *
 * @param name The user name, for error messages.
 * @param secret The password, or an argon2, bcrypt, scrypt or PBKDF2 hash.
 * @returns The test.
 * @throws {FrameworkError} If the password is empty or the hash is invalid.
 */
export function passwordTest(name: string, secret: string): PasswordTest {
  if (/^\$(?:argon2|2[abxy]?\$)/.test(secret) || isReadableHash(secret)) return hashTest(name, secret);
  if (secret === "" || isForeignHash(secret)) {
    throw new FrameworkError(
      "FW_CONFIG",
      `Cannot use the password of "${name}": it is empty or an unsupported hash; use argon2`,
    );
  }
  const expected = digest(secret);
  return (given) => timingSafeEqual(digest(given), expected);
}

/**
 * Returns the kind of a password. Passwords of the same kind take the same time to verify.
 *
 * @param secret The password or its hash.
 * @returns The hash parameters, or an empty string for a plain-text password.
 */
export function passwordKind(secret: string): string {
  const derived = readDerived(secret);
  if (derived !== undefined) return derivedCost(derived);
  // The bcrypt version letter does not affect the cost.
  return /^\$argon2\w*\$v=\d+\$[^$]*/.exec(secret)?.[0] ?? /(?<=^\$2[abxy]?\$)\d\d/.exec(secret)?.[0] ?? "";
}

/**
 * Reports whether a secret is an unsupported hash. If it were treated as plain text, users could log in with the hash
 * itself.
 */
function isForeignHash(secret: string): boolean {
  return /^(?:\$(?:apr1|1|5|6|7|y|scrypt|pbkdf2[\w-]*)\$|\{SHA\}|\{SSHA\}|(?:scrypt|pbkdf2_sha\d+)\$\d)/i.test(secret);
}

function hashTest(name: string, hash: string): PasswordTest {
  if (!isReadableHash(hash)) {
    throw new FrameworkError("FW_CONFIG", `Cannot use the password of "${name}": invalid hash`);
  }
  return (given) => verifyHash(given, hash);
}
