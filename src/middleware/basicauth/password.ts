/**
 * Passwords, as text or as hashes by argon2 or bcrypt.
 *
 * @module
 */

import type { Buffer } from "node:buffer";
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { FrameworkError } from "../../base/errors.ts";
import { isReadableHash, verifyHash } from "../password_hash.ts";

/** A password that is compared in constant time. */
export type PasswordTest = (given: string) => boolean | Promise<boolean>;

const key = randomBytes(32);

/**
 * A digest of a text that only this process can compute: of one length whatever the text, so that comparing two takes
 * the same time wherever they differ, and worth nothing to who sees the memory of another process.
 */
export function digest(text: string): Buffer {
  return createHmac("sha256", key).update(text).digest();
}

/**
 * Prepares the test of a password.
 *
 * @param name The user, for messages.
 * @param secret The password, or a hash of it that begins with `$argon2` or `$2`.
 * @returns The test.
 */
export function passwordTest(name: string, secret: string): PasswordTest {
  if (/^\$(?:argon2|2[abxy]?\$)/.test(secret)) return hashTest(name, secret);
  if (secret === "" || isForeignHash(secret)) {
    throw new FrameworkError(
      "FW_CONFIG",
      `Cannot use the password of "${name}": it is empty, or a hash other than of argon2 or bcrypt`,
    );
  }
  const expected = digest(secret);
  return (given) => timingSafeEqual(digest(given), expected);
}

/**
 * Names how long a password takes to compare with: two of one kind take equally long.
 *
 * @param secret The password, or a hash of it.
 * @returns The kind: the parameters of the hash.
 */
export function passwordKind(secret: string): string {
  // The letter of bcrypt's versions makes no difference to the work.
  return /^\$argon2\w*\$v=\d+\$[^$]*/.exec(secret)?.[0] ?? /(?<=^\$2[abxy]?\$)\d\d/.exec(secret)?.[0] ?? "";
}

/** Hashes of other kinds, as password files hold them: compared as text, the hash itself would be the password. */
function isForeignHash(secret: string): boolean {
  return /^(?:\$(?:apr1|1|5|6|7|y|scrypt|pbkdf2[\w-]*)\$|\{SHA\}|\{SSHA\})/i.test(secret);
}

function hashTest(name: string, hash: string): PasswordTest {
  if (!isReadableHash(hash)) {
    throw new FrameworkError("FW_CONFIG", `Cannot use the password of "${name}": its hash cannot be read`);
  }
  return (given) => verifyHash(given, hash);
}
