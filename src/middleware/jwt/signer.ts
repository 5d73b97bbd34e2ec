/**
 * The signing of tokens.
 *
 * @module
 */

import { SignJWT } from "npm:jose@^6/jwt/sign";
import { either, filled, milliseconds, type Range, record, required, text } from "../../base/config/option_kinds.ts";
import { optionTable, readOptions } from "../../base/config/option_table.ts";
import { type Algorithm, algorithmRule, checkAlgorithms, type KeyMaterial, prepareKey, someText } from "./key.ts";

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

/** The range of the lifetimes of tokens. */
const lifetimes: Range = { isPositive: true, to: 1e13 };

const table = optionTable<SignerOptions>("middleware/jwt.SignerOptions", "jwt.NewSigner")({
  Algorithm: required(algorithmRule),
  Key: required(either(undefined, text(), record())),
  MaxAge: milliseconds(900_000, lifetimes),
  Issuer: filled(),
  Audience: someText,
  KeyID: filled(),
});

const tokenTable = optionTable<TokenOptions>("middleware/jwt.TokenOptions", "a token")({
  MaxAge: milliseconds(undefined, lifetimes),
  Type: filled("JWT"),
});

/**
 * Creates a token signer.
 *
 * @param options The options.
 * @returns The signer.
 * @throws {FrameworkError} If an option is invalid.
 */
export function NewSigner(options: SignerOptions): Signer {
  const { Algorithm: name, Key, MaxAge, Issuer, Audience, KeyID } = readOptions(table, options);
  const [algorithm] = checkAlgorithms([name]) as [Algorithm];
  const key = prepareKey(Key, algorithm, "sign");
  return {
    async Sign(claims, own = {}) {
      const { MaxAge: age = MaxAge, Type } = readOptions(tokenTable, own);
      const now = Math.floor(Date.now() / 1000);
      const content = {
        ...Issuer !== undefined && { iss: Issuer },
        ...Audience !== undefined && { aud: typeof Audience === "string" ? Audience : [...Audience] },
        ...claims,
        iat: now,
        exp: now + Math.ceil(age / 1000),
        jti: typeof claims.jti === "string" ? claims.jti : crypto.randomUUID(),
      };
      const header = { alg: algorithm, typ: Type, ...KeyID !== undefined && { kid: KeyID } };
      return await new SignJWT(content).setProtectedHeader(header).sign(await key());
    },
  };
}
