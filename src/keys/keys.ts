/**
 * A ring of keys: the first signs and encrypts, all of them verify and decrypt.
 *
 * @module
 */
import { Buffer } from "node:buffer";
import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes, timingSafeEqual } from "node:crypto";
import { FrameworkError } from "../base/errors.ts";

/** A secret: a text or bytes, at least 32 of them, that only the servers of an application know. */
export type Secret = string | Uint8Array;

/** The fewest bytes of a secret: as many as the keys that are derived from it. */
const shortest = 32;
const ivLength = 12;
const tagLength = 16;

/** What is derived of one secret: a key must not serve two algorithms. */
interface KeyPair {
  readonly signing: Buffer;
  readonly encryption: Buffer;
}

/**
 * Creates a ring of keys.
 *
 * To rotate, put a new secret in front and keep the old one behind it for as long as what it signed may be in use.
 *
 * @example Rotation
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
 * @param older Secrets that still verify and decrypt.
 * @returns The ring.
 */
export function New(current: Secret, ...older: Secret[]): Keys {
  return new Keys(current, ...older);
}

/**
 * Creates a random secret, to be kept where the servers find it, such as an environment variable.
 *
 * @returns 32 random bytes in base64url.
 */
export function Generate(): string {
  return randomBytes(shortest).toString("base64url");
}

/** A ring of keys, created by {@linkcode New}. */
export class Keys {
  readonly #pairs: readonly KeyPair[];
  readonly #first: KeyPair;

  /**
   * Created by {@linkcode New}.
   *
   * @param current The secret that signs and encrypts.
   * @param older Secrets that still verify and decrypt.
   */
  constructor(current: Secret, ...older: Secret[]) {
    this.#first = derive(current);
    this.#pairs = [this.#first, ...older.map(derive)];
  }

  /**
   * Signs a text, which stays readable.
   *
   * @param purpose What the text is for, such as the name of a cookie: it verifies for no other purpose.
   * @param text The text.
   * @param lifetime For how many milliseconds it verifies; for ever when left out.
   * @returns The text with its signature.
   */
  Sign(purpose: string, text: string, lifetime?: number): string {
    const expires = expiryOf(lifetime);
    return `${text}.${expires}.${signatureOf(this.#first, purpose, text, expires)}`;
  }

  /**
   * Verifies what {@linkcode Sign} returned.
   *
   * @param purpose What the text is for.
   * @param signed The text with its signature, as the client sent it.
   * @returns The text, or `undefined` when it was not signed for this purpose, or its lifetime is over.
   */
  Verify(purpose: string, signed: string): string | undefined {
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
   * Encrypts a text, so that the client can neither read nor change it.
   *
   * @param purpose What the text is for, such as the name of a cookie: it decrypts for no other purpose.
   * @param text The text.
   * @param lifetime For how many milliseconds it decrypts; for ever when left out.
   * @returns Letters, digits, hyphens and underscores.
   */
  Encrypt(purpose: string, text: string, lifetime?: number): string {
    const iv = randomBytes(ivLength);
    const cipher = createCipheriv("aes-256-gcm", this.#first.encryption, iv, { authTagLength: tagLength });
    cipher.setAAD(Buffer.from(purpose));
    const content = Buffer.concat([cipher.update(`${expiryOf(lifetime)}.${text}`, "utf8"), cipher.final()]);
    return Buffer.concat([iv, cipher.getAuthTag(), content]).toString("base64url");
  }

  /**
   * Decrypts what {@linkcode Encrypt} returned.
   *
   * @param purpose What the text is for.
   * @param sealed What the client sent.
   * @returns The text, or `undefined` when it was not encrypted for this purpose, was changed, or its lifetime is over.
   */
  Decrypt(purpose: string, sealed: string): string | undefined {
    const bytes = Buffer.from(sealed, "base64url");
    if (bytes.length <= ivLength + tagLength) return undefined;
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
  if (bytes.length < shortest) {
    throw new FrameworkError(
      "FW_CONFIG",
      `Cannot use a secret of "${bytes.length}" bytes: ` +
        `it must have at least ${shortest}, such as keys.Generate() creates`,
    );
  }
  return {
    signing: Buffer.from(hkdfSync("sha256", bytes, "", "fw signing", 32)),
    encryption: Buffer.from(hkdfSync("sha256", bytes, "", "fw encryption", 32)),
  };
}

/** The length of the purpose comes first: no purpose and text can be cut differently into another purpose and text. */
function signatureOf(pair: KeyPair, purpose: string, text: string, expires: string): string {
  const hmac = createHmac("sha256", pair.signing);
  return hmac.update(`${purpose.length}:${purpose}${expires}.${text}`).digest("base64url");
}

/**
 * Takes as long whichever character differs first: the time would otherwise tell a forger how far the guess is right.
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
    // The platform's way to say that it was changed, or encrypted with another key.
    return undefined;
  }
}

/** The second after which a text counts no more, in base 36; empty for one without an end. */
function expiryOf(lifetime: number | undefined): string {
  return lifetime === undefined ? "" : Math.ceil((Date.now() + lifetime) / 1000).toString(36);
}

function isLive(expires: string): boolean {
  return expires === "" || parseInt(expires, 36) * 1000 > Date.now();
}
