/**
 * Signing and verification keys, each bound to its algorithms.
 *
 * @module
 */

import { createPrivateKey, createPublicKey } from "node:crypto";
import { importJWK, importPKCS8, importSPKI } from "npm:jose@^6/key/import";
import { either, filled, listOf, oneOf, type Option } from "../../base/config/option_kinds.ts";
import { nonEmpty } from "../../base/config/option_shapes.ts";
import { FrameworkError } from "../../base/errors/errors.ts";
import { messageOf } from "../../base/errors/to_error.ts";

/** A signature algorithm, with a shared secret (`HS…`) or with a key pair. */
export type Algorithm = `${"HS" | "RS" | "PS" | "ES"}${256 | 384 | 512}` | "EdDSA" | "Ed25519";

/** A key: a secret as a string or bytes, a PEM string, a JWK or a `CryptoKey`. */
export type KeyMaterial = string | Uint8Array | JWK | CryptoKey;

/** A JSON Web Key (RFC 7517). */
export interface JWK {
  /** The key type. */
  readonly kty: string;
  /** The other members of the key. */
  readonly [member: string]: unknown;
}

/** An imported key. */
export type ReadyKey = CryptoKey | Uint8Array;

const privateKey = "Cannot verify with a private key: use the public key";
/** The minimum length of a secret in bytes, per algorithm (RFC 7518, 3.2). */
const secretLengths: Readonly<Record<string, number>> = { HS256: 32, HS384: 48, HS512: 64 };
const algorithms: readonly Algorithm[] = [
  ...(["HS", "RS", "PS", "ES"] as const).flatMap((name) =>
    ([256, 384, 512] as const).map((bits) => `${name}${bits}` as const)
  ),
  "EdDSA",
  "Ed25519",
];

/** The rule for issuers and audiences. The library does not check an empty one at all. */
export const someText: Option<string | readonly string[], undefined> = either<string | readonly string[], undefined>(
  undefined,
  filled(),
  nonEmpty(listOf(filled(), "non-empty strings")),
);

/** The rule for an algorithm. */
export const algorithmRule: Option<Algorithm, undefined> = oneOf<Algorithm, undefined>(undefined, ...algorithms);

/** The rule for several algorithms. */
export const algorithmsRule: Option<readonly Algorithm[], undefined> = listOf(
  algorithmRule,
  `the algorithms ${algorithms.join(", ")}`,
);

/**
 * Validates a list of algorithms.
 *
 * @param list The algorithms.
 * @returns The same list.
 * @throws {FrameworkError} If an algorithm is unknown, or if shared secrets and public keys are mixed.
 */
export function checkAlgorithms(list: readonly Algorithm[]): readonly Algorithm[] {
  // This prevents algorithm confusion attacks, which use the public key as the secret of an HS… token.
  if (list.some(isShared) && !list.every(isShared)) {
    throw new FrameworkError(
      "FW_CONFIG",
      "Cannot combine HS… algorithms with public-key algorithms: a public key is not a secret",
    );
  }
  return list;
}

/**
 * Prepares a key. Most invalid keys are reported immediately.
 *
 * @param material The key.
 * @param algorithm The algorithm of the key.
 * @param use Whether the key signs or verifies.
 * @returns A function that returns the imported key.
 * @throws {FrameworkError} If the key cannot be used with the algorithm.
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
    throw new FrameworkError("FW_CONFIG", `Cannot use this key with "${algorithm}": use a PEM string or a JWK`);
  }
  if (use === "verify" && "d" in material) throw new FrameworkError("FW_CONFIG", privateKey);
  return held(importJWK({ ...material }, algorithm) as Promise<ReadyKey>);
}

function prepareSecret(material: KeyMaterial, algorithm: Algorithm): () => ReadyKey {
  if (typeof material === "string" && material.includes("-----BEGIN")) {
    throw new FrameworkError("FW_CONFIG", `Cannot use a PEM key with "${algorithm}": use a secret`);
  }
  const bytes = typeof material === "string" ? new TextEncoder().encode(material) : material;
  const shortest = secretLengths[algorithm] ?? 32;
  if (bytes instanceof CryptoKey && bitsOf(bytes) >= shortest * 8) return () => bytes;
  if (!(bytes instanceof Uint8Array) || bytes.length < shortest) {
    throw new FrameworkError(
      "FW_CONFIG",
      `Cannot use this secret with "${algorithm}": it must have at least ${shortest} bytes`,
    );
  }
  const copy = bytes.slice();
  return () => copy;
}

/** Returns the length of an HMAC key, in bits, or 0 for other keys. */
function bitsOf({ algorithm }: CryptoKey): number {
  return "length" in algorithm && typeof algorithm.length === "number" ? algorithm.length : 0;
}

function preparePEM(pem: string, algorithm: Algorithm, use: "sign" | "verify"): () => Promise<ReadyKey> {
  if (use === "verify" && /-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(pem)) {
    throw new FrameworkError("FW_CONFIG", privateKey);
  }
  const label = use === "sign" ? "PRIVATE KEY" : "PUBLIC KEY";
  if (!pem.trimStart().startsWith(`-----BEGIN ${label}-----`)) {
    throw new FrameworkError(
      "FW_CONFIG",
      `Cannot use this key with "${algorithm}": it is not a PEM "${label}"`,
    );
  }
  try {
    // The Node.js parser reports errors synchronously.
    if (use === "sign") createPrivateKey(pem);
    else createPublicKey(pem);
  } catch (error) {
    throw new FrameworkError("FW_CONFIG", `Cannot use this key with "${algorithm}": ${messageOf(error)}`);
  }
  const importing = use === "sign" ? importPKCS8(pem, algorithm) : importSPKI(pem, algorithm);
  return held(importing as Promise<ReadyKey>);
}

/**
 * Stores a pending key. If importing it fails, the error is thrown when the key is used rather than as an unhandled
 * rejection.
 */
function held(ready: Promise<ReadyKey>): () => Promise<ReadyKey> {
  ready.catch(() => {});
  return () => ready;
}

function isShared(algorithm: Algorithm): boolean {
  return algorithm.startsWith("HS");
}
