/**
 * Signing tokens.
 *
 * @module
 */

import { SignJWT } from "npm:jose@^6/jwt/sign";
import { FrameworkError } from "../../base/errors.ts";
import { type Algorithm, checkAlgorithms, type KeyMaterial, prepareKey } from "./key.ts";

/** How tokens are signed. */
export interface SignerOptions {
  /** The algorithm: `EdDSA` or `ES256` where others verify, `HS256` where only this application does. */
  Algorithm: Algorithm;
  /** The secret of an `HS…` algorithm, or the private key of another. */
  Key: KeyMaterial;
  /** How long tokens are valid, in milliseconds; 15 minutes when left out. */
  MaxAge?: number;
  /** Who signs: the claim `iss`. */
  Issuer?: string;
  /** Whom tokens are for: the claim `aud`. */
  Audience?: string | readonly string[];
  /** The name of the key, by which verifiers find it in a set: the header `kid`. */
  KeyID?: string;
}

/** The content of a token: its claims. */
export type Claims = Readonly<Record<string, unknown>>;

/** What is said of one token. */
export interface TokenOptions {
  /** How long it is valid, in milliseconds. */
  MaxAge?: number;
  /** What it is, by the header `typ`; a verifier can demand it by its own `Type`. Defaults to `"JWT"`. */
  Type?: string;
}

/** Signs tokens; created by {@linkcode NewSigner}. */
export interface Signer {
  /**
   * Signs a token.
   *
   * @param claims Its claims: `sub` names the user, `roles` what they may be. `iat`, `exp` and `jti` are set here.
   * @param options What is said of this token alone.
   * @returns The token.
   */
  Sign(claims: Claims, options?: TokenOptions): Promise<string>;
}

/**
 * Creates a signer.
 *
 * @param options How tokens are signed.
 * @returns The signer.
 */
export function NewSigner(options: SignerOptions): Signer {
  const [algorithm] = checkAlgorithms([options.Algorithm]) as [Algorithm];
  const key = prepareKey(options.Key, algorithm, "sign");
  const { MaxAge = 900_000, Issuer, Audience, KeyID } = options;
  checkAge(MaxAge);
  return {
    async Sign(claims, { MaxAge: age = MaxAge, Type = "JWT" } = {}) {
      const now = Math.floor(Date.now() / 1000);
      const content = {
        ...Issuer !== undefined && { iss: Issuer },
        ...Audience !== undefined && { aud: typeof Audience === "string" ? Audience : [...Audience] },
        ...claims,
        iat: now,
        exp: now + Math.ceil(checkAge(age) / 1000),
        jti: typeof claims.jti === "string" ? claims.jti : crypto.randomUUID(),
      };
      const header = { alg: algorithm, typ: Type, ...KeyID !== undefined && { kid: KeyID } };
      return await new SignJWT(content).setProtectedHeader(header).sign(await key());
    },
  };
}

function checkAge(milliseconds: number): number {
  if (milliseconds > 0 && milliseconds < 1e13) return milliseconds;
  throw new FrameworkError("FW_CONFIG", `Cannot sign tokens for "${milliseconds}" ms: it must be more than 0`);
}
