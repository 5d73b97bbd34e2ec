/**
 * Verifies scrypt and PBKDF2 hashes of other programs, such as Django. New hashes are always argon2id.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { pbkdf2, scrypt, timingSafeEqual } from "node:crypto";

/** A hash and the parameters that it was derived with. */
export type DerivedHash =
  & { readonly salt: Buffer; readonly key: Buffer }
  & (
    | { readonly kind: "scrypt"; readonly cost: number; readonly blockSize: number; readonly parallelization: number }
    | { readonly kind: "pbkdf2"; readonly digest: string; readonly iterations: number }
  );

/** The maximum memory that scrypt may use, in bytes. */
const mostMemory = 1 << 30;
/** The maximum number of iterations, which take seconds. */
const mostIterations = 10_000_000;

type Parser = (match: readonly string[]) => DerivedHash;

/** The formats of Django, and those of passlib, which begin with a dollar sign. */
const formats: readonly (readonly [RegExp, Parser])[] = [
  [
    /^pbkdf2_(sha1|sha256)\$(\d{1,8})\$([^$]{1,128})\$([A-Za-z\d+/]{20,90}={0,2})$/,
    ([digest = "", iterations, salt = "", key = ""]) => ({
      kind: "pbkdf2",
      digest,
      iterations: Number(iterations),
      salt: Buffer.from(salt),
      key: Buffer.from(key, "base64"),
    }),
  ],
  [
    /^\$pbkdf2(?:-(sha256|sha512))?\$(\d{1,8})\$([A-Za-z\d./]{1,128})\$([A-Za-z\d./]{20,90})$/,
    ([digest = "sha1", iterations, salt = "", key = ""]) => ({
      kind: "pbkdf2",
      digest,
      iterations: Number(iterations),
      salt: fromAdapted(salt),
      key: fromAdapted(key),
    }),
  ],
  [
    /^scrypt\$(\d{1,8})\$([^$]{1,128})\$(\d{1,3})\$(\d{1,3})\$([A-Za-z\d+/]{20,90}={0,2})$/,
    ([cost, salt = "", blockSize, parallelization, key = ""]) => ({
      kind: "scrypt",
      cost: Number(cost),
      blockSize: Number(blockSize),
      parallelization: Number(parallelization),
      salt: Buffer.from(salt),
      key: Buffer.from(key, "base64"),
    }),
  ],
  [
    /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,3}),p=(\d{1,3})\$([A-Za-z\d+/]{1,128})\$([A-Za-z\d+/]{20,90})$/,
    ([exponent, blockSize, parallelization, salt = "", key = ""]) => ({
      kind: "scrypt",
      cost: 2 ** Number(exponent),
      blockSize: Number(blockSize),
      parallelization: Number(parallelization),
      salt: Buffer.from(salt, "base64"),
      key: Buffer.from(key, "base64"),
    }),
  ],
];

/** Parses a scrypt or PBKDF2 hash. Returns `undefined` for other strings, and for costs that no server should pay. */
export function readDerived(hash: string): DerivedHash | undefined {
  for (const [pattern, parse] of formats) {
    const match = pattern.exec(hash);
    if (match === null) continue;
    const found = parse(match.slice(1));
    return isAffordable(found) ? found : undefined;
  }
  return undefined;
}

/** Reports whether a password has the given hash. The platform derives it in another thread. */
export async function verifyDerived(password: string, hash: DerivedHash): Promise<boolean> {
  return timingSafeEqual(await derive(password, hash), hash.key);
}

/** Returns the parameters of a hash, which determine the time of its verification. */
export function derivedCost(hash: DerivedHash): string {
  const { salt: _, key, ...cost } = hash;
  return JSON.stringify([Object.values(cost), key.length]);
}

function derive(password: string, hash: DerivedHash): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const done = (error: Error | null, key: Buffer) => error === null ? resolve(key) : reject(error);
    const { salt, key: { length } } = hash;
    if (hash.kind === "pbkdf2") return pbkdf2(password, salt, hash.iterations, length, hash.digest, done);
    const { cost, blockSize, parallelization } = hash;
    scrypt(password, salt, length, { cost, blockSize, parallelization, maxmem: 2 * mostMemory }, done);
  });
}

function isAffordable(hash: DerivedHash): boolean {
  if (hash.kind === "pbkdf2") return hash.iterations > 0 && hash.iterations <= mostIterations;
  const { cost, blockSize, parallelization } = hash;
  const isPower = cost > 1 && Number.isInteger(Math.log2(cost));
  return isPower && blockSize > 0 && parallelization > 0 && parallelization <= 16 &&
    128 * cost * blockSize <= mostMemory;
}

/** Decodes the alphabet of passlib, which has a period in place of the plus sign. */
function fromAdapted(text: string): Buffer {
  return Buffer.from(text.replaceAll(".", "+"), "base64");
}
