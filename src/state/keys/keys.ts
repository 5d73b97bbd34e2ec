/**
 * A key ring. The first key signs and encrypts, and all keys verify and decrypt.
 *
 * @module
 */
import { kind } from "../../base/config/option_kinds.ts";
import { checkArgument, checkText } from "../../base/config/option_table.ts";
import { Buffer } from "node:buffer";
import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes, timingSafeEqual } from "node:crypto";
import { FrameworkError } from "../../base/errors/errors.ts";

/** A secret of at least 32 bytes, as a string or bytes. Only the servers of an application should know it. */
export type Secret = string | Uint8Array;

/** The minimum length of a secret, in bytes. It equals the length of the derived keys. */
const shortest = 32;
const ivLength = 12;
const tagLength = 16;

/** The keys derived from a secret. Each algorithm needs its own key. */
interface KeyPair {
  readonly signing: Buffer;
  readonly encryption: Buffer;
}

/**
 * Creates a key ring.
 *
 * To rotate keys, add the new secret in front and keep the old one for as long as values signed with it may be in use.
 *
 * @example Rotate keys
 * ```ts
 * import * as keys from "@fw/web/keys";
 *
 * const [old, fresh] = [keys.Generate(), keys.Generate()];
 * const signed = keys.New(old).Sign("cart", "tea");
 * keys.New(fresh, old).Verify("cart", signed); // → "tea"
 * keys.New(fresh).Verify("cart", signed); // → undefined
 * ```
 *
 * @param current The secret that signs and encrypts.
 * @param older Older secrets that still verify and decrypt.
 * @returns The key ring.
 * @throws {FrameworkError} If a secret is missing or too short.
 */
export function New(current: Secret, ...older: Secret[]): Keys {
  return new Keys(current, ...older);
}

/**
 * Generates a random secret. Store it where the servers can read it, for example in an environment variable.
 *
 * @returns 32 random bytes, encoded as base64url.
 */
export function Generate(): string {
  return randomBytes(shortest).toString("base64url");
}

/** A key ring, created by {@linkcode New}. */
export class Keys {
  readonly #pairs: readonly KeyPair[];
  readonly #first: KeyPair;

  /**
   * Created by {@linkcode New}.
   *
   * @param current The secret that signs and encrypts.
   * @param older Older secrets that still verify and decrypt.
   */
  constructor(current: Secret, ...older: Secret[]) {
    this.#first = derive(current);
    this.#pairs = [this.#first, ...older.map(derive)];
  }

  /**
   * Signs a string. The string itself stays readable.
   *
   * @param purpose The purpose, such as the name of a cookie. The signature is not valid for any other purpose.
   * @param text The string.
   * @param lifetime The lifetime of the signature, in milliseconds. If omitted, it does not expire.
   * @returns The string with its signature.
   */
  Sign(purpose: string, text: string, lifetime?: number): string {
    checkText(text, "text", "the keys");
    const expires = expiryOf(lifetime);
    return `${text}.${expires}.${signatureOf(this.#first, purpose, text, expires)}`;
  }

  /**
   * Verifies a string signed by {@linkcode Sign}.
   *
   * @param purpose The purpose.
   * @param signed The signed string, as sent by the client.
   * @returns The original string, or `undefined` if the signature is invalid, expired or for another purpose.
   */
  Verify(purpose: string, signed: string): string | undefined {
    checkText(purpose, "purpose", "the keys");
    if (typeof signed !== "string") return undefined;
    const last = signed.lastIndexOf(".");
    const border = last < 1 ? -1 : signed.lastIndexOf(".", last - 1);
    if (border < 0) return undefined;
    const [text, expires, signature] = [
      signed.slice(0, border),
      signed.slice(border + 1, last),
      signed.slice(last + 1),
    ];
    const isGenuine = this.#pairs.some((pair) => equal(signature, signatureOf(pair, purpose, text, expires)));
    return isGenuine && isLive(expires) ? text : undefined;
  }

  /**
   * Encrypts a string, so that the client can neither read nor change it.
   *
   * @param purpose The purpose, such as the name of a cookie. The string cannot be decrypted for any other purpose.
   * @param text The string.
   * @param lifetime The time for which the string can be decrypted, in milliseconds. If omitted, it does not expire.
   * @returns The encrypted string, which consists of letters, digits, hyphens and underscores.
   */
  Encrypt(purpose: string, text: string, lifetime?: number): string {
    checkText(purpose, "purpose", "the keys");
    checkText(text, "text", "the keys");
    const expires = expiryOf(lifetime);
    const iv = randomBytes(ivLength);
    const cipher = createCipheriv("aes-256-gcm", this.#first.encryption, iv, { authTagLength: tagLength });
    cipher.setAAD(Buffer.from(purpose));
    const content = Buffer.concat([cipher.update(`${expires}.${text}`, "utf8"), cipher.final()]);
    return Buffer.concat([iv, cipher.getAuthTag(), content]).toString("base64url");
  }

  /**
   * Decrypts a string encrypted by {@linkcode Encrypt}.
   *
   * @param purpose The purpose.
   * @param sealed The encrypted string, as sent by the client.
   * @returns The original string, or `undefined` if it was modified, has expired or was encrypted for another purpose.
   */
  Decrypt(purpose: string, sealed: string): string | undefined {
    checkText(purpose, "purpose", "the keys");
    if (typeof sealed !== "string") return undefined;
    const bytes = Buffer.from(sealed, "base64url");
    // The platform ignores other characters and unused bits, so that a modified string would have the same content.
    if (bytes.length <= ivLength + tagLength || bytes.toString("base64url") !== sealed) return undefined;
    for (const pair of this.#pairs) {
      const content = open(pair.encryption, purpose, bytes);
      const border = content?.indexOf(".") ?? -1;
      if (content !== undefined) return isLive(content.slice(0, border)) ? content.slice(border + 1) : undefined;
    }
    return undefined;
  }
}

function derive(secret: Secret): KeyPair {
  const bytes = typeof secret === "string" ? Buffer.from(secret) : secret;
  // A missing environment variable is `undefined`.
  const isBytes = bytes instanceof Uint8Array;
  if (!isBytes || bytes.length < shortest) {
    const given = isBytes ? `of "${bytes.length}" bytes` : `of type "${typeof secret}"`;
    throw new FrameworkError(
      "FW_CONFIG",
      `Cannot use a secret ${given}: it must have at least ${shortest} bytes; create one with keys.Generate()`,
    );
  }
  return {
    signing: Buffer.from(hkdfSync("sha256", bytes, "", "fw signing", 32)),
    encryption: Buffer.from(hkdfSync("sha256", bytes, "", "fw encryption", 32)),
  };
}

/** Computes a signature. The length prefix prevents an attacker from moving characters between purpose and text. */
function signatureOf(pair: KeyPair, purpose: string, text: string, expires: string): string {
  checkText(purpose, "purpose", "the keys");
  const hmac = createHmac("sha256", pair.signing);
  return hmac.update(`${purpose.length}:${purpose}${expires}.${text}`).digest("base64url");
}

/**
 * Compares two strings in constant time. Otherwise, the time would reveal how much of a forged signature is correct.
 */
function equal(given: string, right: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(right)];
  return one.length === other.length && timingSafeEqual(one, other);
}

function open(key: Buffer, purpose: string, bytes: Buffer): string | undefined {
  const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, ivLength), { authTagLength: tagLength });
  decipher.setAAD(Buffer.from(purpose));
  decipher.setAuthTag(bytes.subarray(ivLength, ivLength + tagLength));
  try {
    const content = decipher.update(bytes.subarray(ivLength + tagLength));
    return Buffer.concat([content, decipher.final()]).toString("utf8");
  } catch {
    // The content was modified, or encrypted with another key.
    return undefined;
  }
}

const lifetimeRule = kind("a number of milliseconds", (value) => typeof value === "number", undefined);

/** Returns the expiry time in seconds, in base 36, or an empty string if there is none. */
function expiryOf(lifetime: number | undefined): string {
  if (lifetime !== undefined) checkArgument(lifetime, lifetimeRule, "lifetime", "the keys");
  return lifetime === undefined ? "" : Math.ceil((Date.now() + lifetime) / 1000).toString(36);
}

function isLive(expires: string): boolean {
  return expires === "" || parseInt(expires, 36) * 1000 > Date.now();
}
