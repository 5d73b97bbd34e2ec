/**
 * Keys of tokens, each bound to the algorithms that it may serve.
 *
 * @module
 */

import { createPrivateKey, createPublicKey } from "node:crypto";
import { importJWK, importPKCS8, importSPKI } from "npm:jose@^6/key/import";
import { FrameworkError } from "../../base/errors.ts";
import { messageOf } from "../../base/to_error.ts";

/** An algorithm that signs tokens: by a shared secret (`HS…`), or by a private key that a public one verifies. */
export type Algorithm =
  | "HS256"
  | "HS384"
  | "HS512"
  | "RS256"
  | "RS384"
  | "RS512"
  | "PS256"
  | "PS384"
  | "PS512"
  | "ES256"
  | "ES384"
  | "ES512"
  | "EdDSA"
  | "Ed25519";

/** A key: a secret as text or bytes, a PEM text, a JWK, or the platform's own. */
export type KeyMaterial = string | Uint8Array | JWK | CryptoKey;

/** A key in JSON (RFC 7517). */
export interface JWK {
  /** The kind of key. */
  readonly kty: string;
  /** Its members. */
  readonly [member: string]: unknown;
}

/** A key that is ready for use. */
export type ReadyKey = CryptoKey | Uint8Array;

const privateKey = "Cannot verify with a private key: the public one is enough";
/** The fewest bytes of a secret, by the digest that it feeds: RFC 7518, 3.2. */
const secretLengths: Readonly<Record<string, number>> = { HS256: 32, HS384: 48, HS512: 64 };
const algorithms: ReadonlySet<string> = new Set<Algorithm>([
  "HS256",
  "HS384",
  "HS512",
  "RS256",
  "RS384",
  "RS512",
  "PS256",
  "PS384",
  "PS512",
  "ES256",
  "ES384",
  "ES512",
  "EdDSA",
  "Ed25519",
]);

/**
 * Checks a list of algorithms.
 *
 * @param list The algorithms.
 * @returns The same list.
 */
export function checkAlgorithms(list: readonly Algorithm[]): readonly Algorithm[] {
  const unknown = list.find((algorithm) => !algorithms.has(algorithm));
  if (unknown !== undefined || list.length === 0) {
    throw new FrameworkError("FW_CONFIG", `Cannot use the algorithm "${unknown}": it signs no tokens`);
  }
  // The classic confusion: a public key, which is public, taken for the secret of a token that the attacker signed.
  if (list.some(isShared) && !list.every(isShared)) {
    throw new FrameworkError(
      "FW_CONFIG",
      "Cannot verify by secrets and by public keys alike: a public key is not a secret",
    );
  }
  return list;
}

/**
 * Prepares a key; what is wrong with it is said at once where the platform can tell.
 *
 * @param material The key.
 * @param algorithm The algorithm that it serves.
 * @param use Whether it signs or verifies.
 * @returns A function that gives the key.
 */
export function prepareKey(
  material: KeyMaterial,
  algorithm: Algorithm,
  use: "sign" | "verify",
): () => ReadyKey | Promise<ReadyKey> {
  if (isShared(algorithm)) return prepareSecret(material, algorithm);
  if (typeof material === "string") return preparePEM(material, algorithm, use);
  if (material instanceof CryptoKey) return () => material;
  if (material instanceof Uint8Array || typeof material.kty !== "string" || material.kty === "oct") {
    throw new FrameworkError("FW_CONFIG", `Cannot use this key with "${algorithm}": it wants a PEM text or a JWK`);
  }
  if (use === "verify" && "d" in material) throw new FrameworkError("FW_CONFIG", privateKey);
  return held(importJWK({ ...material }, algorithm));
}

function prepareSecret(material: KeyMaterial, algorithm: Algorithm): () => ReadyKey {
  if (typeof material === "string" && material.includes("-----BEGIN")) {
    throw new FrameworkError("FW_CONFIG", `Cannot use a PEM key with "${algorithm}": it wants a secret`);
  }
  const bytes = typeof material === "string" ? new TextEncoder().encode(material) : material;
  if (bytes instanceof CryptoKey) return () => bytes;
  const shortest = secretLengths[algorithm] ?? 32;
  if (!(bytes instanceof Uint8Array) || bytes.length < shortest) {
    throw new FrameworkError(
      "FW_CONFIG",
      `Cannot use this secret with "${algorithm}": it has less than ${shortest} bytes`,
    );
  }
  const copy = bytes.slice();
  return () => copy;
}

function preparePEM(pem: string, algorithm: Algorithm, use: "sign" | "verify"): () => Promise<ReadyKey> {
  if (use === "verify" && /-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(pem)) {
    throw new FrameworkError("FW_CONFIG", privateKey);
  }
  const label = use === "sign" ? "PRIVATE KEY" : "PUBLIC KEY";
  if (!pem.trimStart().startsWith(`-----BEGIN ${label}-----`)) {
    throw new FrameworkError(
      "FW_CONFIG",
      `Cannot use this key with "${algorithm}": it is not a PEM text of a "${label}"`,
    );
  }
  try {
    // The platform's other reader, which says at once what is wrong.
    if (use === "sign") createPrivateKey(pem);
    else createPublicKey(pem);
  } catch (error) {
    throw new FrameworkError("FW_CONFIG", `Cannot use this key with "${algorithm}": ${messageOf(error)}`);
  }
  return held(use === "sign" ? importPKCS8(pem, algorithm) : importSPKI(pem, algorithm));
}

/** A key on its way; one that fails does so where it is used, and not as a rejection that no one hears. */
function held(ready: Promise<ReadyKey>): () => Promise<ReadyKey> {
  ready.catch(() => {});
  return () => ready;
}

function isShared(algorithm: Algorithm): boolean {
  return algorithm.startsWith("HS");
}
