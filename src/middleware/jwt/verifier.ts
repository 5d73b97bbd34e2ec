/**
 * Verifying tokens.
 *
 * @module
 */

import { createHash } from "node:crypto";
import { JWTExpired } from "npm:jose@^6/errors";
import { jwtVerify, type JWTVerifyGetKey, type JWTVerifyOptions } from "npm:jose@^6/jwt/verify";
import { FrameworkError } from "../../base/errors.ts";
import { Recently } from "../recently.ts";
import { type Algorithm, checkAlgorithms, type KeyMaterial, prepareKey } from "./key.ts";
import { keySet } from "./key_set.ts";
import type { Claims } from "./signer.ts";

/** Which signatures count. */
export interface VerificationOptions {
  /** The algorithms that count, whatever a token says of itself. */
  Algorithms: readonly Algorithm[];
  /** The secret of `HS…` algorithms, or the public key of others. */
  Key?: KeyMaterial;
  /** The URL of a set of public keys (JWKS), fetched when a token names a key that is not known, and kept. */
  JWKS?: string | URL;
  /** Who must have signed: the claim `iss`. */
  Issuer?: string | readonly string[];
  /** Whom a token must be for: the claim `aud` names one of these. */
  Audience?: string | readonly string[];
  /**
   * What a token must be, by the header `typ` (RFC 8725, 3.11), such as `at+jwt`: a token that was signed for another
   * purpose is refused. If omitted, every type but that of refresh tokens is accepted. {@linkcode TokenOptions.Type}
   * sets it.
   */
  Type?: string;
  /** How much the clocks of signer and verifier may differ, in milliseconds; 5 seconds when left out. */
  ClockTolerance?: number;
  /** True to take tokens that never expire. */
  AllowWithoutExpiry?: boolean;
}

/** Verifies tokens; the promise is rejected if a token is not valid. */
export interface Verify {
  (token: string): Claims | Promise<Claims>;
  /** Verifies a token that may have expired, to block what descends from it. */
  whenever(token: string): Promise<Claims>;
}

/** The longest token that is looked at. */
const longest = 8192;
/** How long a token that was verified need not be again, and how many of them. A signature costs 250 µs, this 8. */
const limits = { lifetime: 30_000, most: 1000 };

/**
 * Prepares the verification of tokens.
 *
 * @param options Which signatures count.
 * @param type The type of token that is demanded.
 * @returns The function that verifies.
 */
export function verification(options: VerificationOptions, type: string | undefined = options.Type): Verify {
  const key = keyOf(options);
  const settings = settingsOf(options, type);
  const tolerance = (options.ClockTolerance ?? 5000) / 1000;
  // The claims as text: each request gets an object of its own, so that none can change what another one sees.
  const verified = new Recently<string>(limits);

  async function verifyAnew(token: string, digest: string): Promise<Claims> {
    const { payload, protectedHeader } = await jwtVerify(token, key, settings);
    if (type === undefined && isRefreshType(protectedHeader.typ)) throw new TypeError("It is a refresh token");
    // 1e999 in JSON is a number too.
    if (payload.exp === Infinity) throw new TypeError("It never expires");
    verified.add(digest, JSON.stringify(payload));
    return payload;
  }

  function verify(token: string): Claims | Promise<Claims> {
    if (token.length > longest) throw new TypeError("It is too long");
    const digest = createHash("sha256").update(token).digest("base64");
    const known = verified.find(digest);
    if (known === undefined) return verifyAnew(token, digest);
    const claims: Claims = JSON.parse(known);
    if (typeof claims.exp === "number" && claims.exp + tolerance <= Date.now() / 1000) {
      throw new TypeError("It has expired");
    }
    return claims;
  }

  async function whenever(token: string): Promise<Claims> {
    if (token.length > longest) throw new TypeError("It is too long");
    try {
      return (await jwtVerify(token, key, settings)).payload;
    } catch (error) {
      // The time is checked last: the signature and everything else is right.
      if (error instanceof JWTExpired && error.claim === "exp" && error.reason === "check_failed") return error.payload;
      throw error;
    }
  }

  return Object.assign(verify, { whenever });
}

/** The type of tokens whose only use is to get others. */
export const refreshType = "refresh+jwt";

/** Compares as RFC 7515, 4.1.9 says: letter case and the prefix `application/` make no difference. */
function isRefreshType(type: unknown): boolean {
  return typeof type === "string" && type.toLowerCase().replace(/^application\//, "") === refreshType;
}

function settingsOf(options: VerificationOptions, type: string | undefined): JWTVerifyOptions {
  const { Issuer, Audience, ClockTolerance = 5000 } = options;
  if (!(ClockTolerance >= 0 && ClockTolerance <= 600_000)) {
    throw new FrameworkError("FW_CONFIG", `Cannot tolerate "${ClockTolerance}" ms: it is not between 0 and 600000`);
  }
  if (type !== undefined && (typeof type !== "string" || !/^[\w!#$&^.+/-]+$/.test(type))) {
    throw new FrameworkError("FW_CONFIG", `Cannot demand tokens of the type "${type}": it is not a media type`);
  }
  return {
    algorithms: [...checkAlgorithms(options.Algorithms)],
    clockTolerance: ClockTolerance / 1000,
    requiredClaims: options.AllowWithoutExpiry === true ? [] : ["exp"],
    ...Issuer !== undefined && { issuer: typeof Issuer === "string" ? Issuer : [...Issuer] },
    ...Audience !== undefined && { audience: typeof Audience === "string" ? Audience : [...Audience] },
    ...type !== undefined && { typ: type },
  };
}

function keyOf(options: VerificationOptions): JWTVerifyGetKey {
  const { Key, JWKS, Algorithms } = options;
  const [algorithm] = checkAlgorithms(Algorithms) as [Algorithm];
  if ((Key === undefined) === (JWKS === undefined)) {
    throw new FrameworkError("FW_CONFIG", "Cannot verify tokens: either Key or JWKS names the keys");
  }
  if (Key !== undefined) {
    if (Algorithms.length > 1) {
      throw new FrameworkError("FW_CONFIG", "Cannot verify tokens: one Key serves one of the Algorithms");
    }
    const key = prepareKey(Key, algorithm, "verify");
    return async () => await key();
  }
  if (algorithm.startsWith("HS")) {
    throw new FrameworkError("FW_CONFIG", `Cannot fetch the secret of "${algorithm}": a set of public keys holds none`);
  }
  return keySet(JWKS ?? "");
}
