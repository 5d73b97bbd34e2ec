/**
 * The signing of tokens.
 *
 * @module
 */

import { SignJWT } from "npm:jose@^6/jwt/sign";
import { checkOptions, type OptionRules } from "../../config/check_options.ts";
import { FrameworkError } from "../../errors/errors.ts";
import { type Algorithm, checkAlgorithms, type KeyMaterial, prepareKey } from "./key.ts";

/** Options for {@linkcode NewSigner}. */
export interface SignerOptions {
  /**
   * The algorithm. Use `EdDSA` or `ES256` if other applications verify the tokens, and `HS256` if only this application
   * does.
   */
  Algorithm: Algorithm;
  /** The secret for `HS…` algorithms, or the private key for other algorithms. */
  Key: KeyMaterial;
  /**
   * The lifetime of tokens, in milliseconds.
   *
   * @default {900000}
   */
  MaxAge?: number;
  /** The issuer (the `iss` claim). */
  Issuer?: string;
  /** The audience (the `aud` claim). */
  Audience?: string | readonly string[];
  /** The key ID (the `kid` header). Verifiers use it to find the key in a key set. */
  KeyID?: string;
}

/** The claims of a token. */
export type Claims = Readonly<Record<string, unknown>>;

/** Options for {@linkcode Signer.Sign}. */
export interface TokenOptions {
  /** The lifetime of the token, in milliseconds. If omitted, the signer's `MaxAge` is used. */
  MaxAge?: number;
  /**
   * The token type (the `typ` header). A verifier can require it with its own `Type`.
   *
   * @default {"JWT"}
   */
  Type?: string;
}

/** A token signer, created by {@linkcode NewSigner}. */
export interface Signer {
  /**
   * Signs a token.
   *
   * @param claims The claims. `sub` identifies the user and `roles` are the user's roles. `iat`, `exp` and, if missing,
   *   `jti` are added.
   * @param options The options for this token.
   * @returns The token.
   */
  Sign(claims: Claims, options?: TokenOptions): Promise<string>;
}

const optionRules: OptionRules<SignerOptions> = {
  Algorithm: "string",
  Key: ["string", "object"],
  MaxAge: "number",
  Issuer: "string",
  Audience: ["string", "strings"],
  KeyID: "string",
};

/**
 * Creates a token signer.
 *
 * @param options The options.
 * @returns The signer.
 * @throws {FrameworkError} If an option is invalid.
 */
export function NewSigner(options: SignerOptions): Signer {
  checkOptions("jwt.NewSigner", options, optionRules);
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
  throw new FrameworkError("FW_CONFIG", `Cannot sign tokens for "${milliseconds}" ms: the lifetime must be positive`);
}
