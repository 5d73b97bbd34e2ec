/**
 * Passwords, as text or as hashes by argon2 or bcrypt.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { FrameworkError } from "../../base/errors.ts";
import { hashInTurn } from "./hash_queue.ts";

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
  if (secret.startsWith("$argon2")) return argon2Test(name, secret);
  if (/^\$2[abxy]?\$/.test(secret)) return bcryptTest(name, secret);
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

/** Hashes a password with argon2id, by the parameters that OWASP recommends. */
export async function hashPassword(password: string): Promise<string> {
  const { argon2id } = await import("npm:hash-wasm@^4");
  return await hashInTurn(() =>
    argon2id({
      password,
      salt: randomBytes(16),
      iterations: 2,
      memorySize: 19_456,
      parallelism: 1,
      hashLength: 32,
      outputType: "encoded",
    })
  );
}

/** Hashes of other kinds, as password files hold them: compared as text, the hash itself would be the password. */
function isForeignHash(secret: string): boolean {
  return /^(?:\$(?:apr1|1|5|6|7|y|scrypt|pbkdf2[\w-]*)\$|\{SHA\}|\{SSHA\})/i.test(secret);
}

function argon2Test(name: string, hash: string): PasswordTest {
  if (!/^\$argon2(?:id|i|d)\$v=19\$m=\d{1,7},t=\d{1,3},p=\d{1,3}\$[\w+/-]{11,}\$[\w+/-]{11,}$/.test(hash)) {
    throw new FrameworkError("FW_CONFIG", `Cannot use the password of "${name}": its argon2 hash cannot be read`);
  }
  return async (password) => {
    if (password === "") return false;
    const { argon2Verify } = await import("npm:hash-wasm@^4");
    return await hashInTurn(() => argon2Verify({ password, hash }));
  };
}

function bcryptTest(name: string, hash: string): PasswordTest {
  if (!/^\$2[abxy]?\$\d\d\$[./A-Za-z0-9]{53}$/.test(hash)) {
    throw new FrameworkError("FW_CONFIG", `Cannot use the password of "${name}": its bcrypt hash cannot be read`);
  }
  return async (password) => {
    // bcrypt reads 72 bytes: of two longer passwords that begin alike, each would open what the other protects.
    if (password === "" || Buffer.byteLength(password) > 72) return false;
    const { bcryptVerify } = await import("npm:hash-wasm@^4");
    return await hashInTurn(() => bcryptVerify({ password, hash }));
  };
}
