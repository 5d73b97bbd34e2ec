/**
 * Pairs of tokens: one that is valid for minutes, and one that gets the next pair, once.
 *
 * @module
 */

import { FrameworkError, type Result } from "../../base/errors.ts";
import { NewMemory } from "../../store/memory.ts";
import type { Store } from "../../store/store.ts";
import { Blocklist, type Token } from "./blocklist.ts";
import { KeysUnavailable } from "./key_set.ts";
import type { Claims, Signer } from "./signer.ts";
import { refreshType, verification, type VerificationOptions } from "./verifier.ts";

/** How pairs are created. */
export interface PairOptions {
  /** Signs both tokens. */
  Signer: Signer;
  /** Verifies tokens that the signer signed. */
  Verification: VerificationOptions;
  /** How long an access token is valid, in milliseconds; 10 minutes when left out. */
  AccessAge?: number;
  /** How long a refresh token is valid, in milliseconds; 30 days when left out. */
  RefreshAge?: number;
  /** Where used and blocked tokens are kept: the same store as the verifier's `Blocklist`; in memory when left out. */
  Store?: Store;
  /**
   * Decides about a refresh: the claims of the next pair, such as roles that have changed, or `undefined` to refuse it.
   * Left out, the next pair has the claims of the last.
   */
  OnRefresh?: (claims: Claims) => Claims | undefined | Promise<Claims | undefined>;
}

/** Two tokens, as OAuth names them. */
export interface Pair {
  /** Opens the application, for minutes. */
  readonly AccessToken: string;
  /** Gets the next pair, once. */
  readonly RefreshToken: string;
  /** How many seconds the access token is valid. */
  readonly ExpiresIn: number;
}

/** Issues pairs of tokens; created by {@linkcode NewPairs}. */
export interface Pairs {
  /**
   * Issues the first pair, at a login.
   *
   * @param claims The claims of both tokens.
   * @returns The pair.
   */
  Issue(claims: Claims): Promise<Pair>;
  /**
   * Issues the next pair. A refresh token counts once: one that comes again was stolen, from the user or by them, so
   * all tokens that descend from the same login are blocked.
   *
   * @param refreshToken The refresh token of the last pair.
   * @returns The pair, or an error when the token does not count.
   */
  Refresh(refreshToken: string): Promise<Result<Pair>>;
  /**
   * Blocks all tokens that descend from the same login as a refresh token.
   *
   * @param refreshToken Any refresh token of that login.
   */
  Revoke(refreshToken: string): Promise<void>;
}

/** Claims that belong to one token alone. */
const ownClaims: ReadonlySet<string> = new Set(["iat", "exp", "nbf", "jti", "fam", "fex"]);

/**
 * Creates what issues pairs.
 *
 * @param options How pairs are created.
 * @returns The maker.
 */
export function NewPairs(options: PairOptions): Pairs {
  const { Signer: signer, AccessAge = 600_000, RefreshAge = 30 * 86_400_000 } = options;
  const verify = verification(options.Verification, refreshType);
  // Refusing is right here: a store that forgets what was used lets it be used again.
  const list = new Blocklist(options.Store ?? NewMemory({ WhenFull: "refuse" }));

  async function issue(claims: Claims, family: string): Promise<Pair> {
    const content = { ...claims, fam: family, fex: Math.ceil((Date.now() + RefreshAge) / 1000) };
    const [AccessToken, RefreshToken] = await Promise.all([
      signer.Sign(content, { MaxAge: AccessAge }),
      signer.Sign(content, { MaxAge: RefreshAge, Type: refreshType }),
    ]);
    return { AccessToken, RefreshToken, ExpiresIn: Math.ceil(AccessAge / 1000) };
  }

  /** A refresh token whose signature is right, and its family. */
  async function read(text: string): Promise<Token & { family: string } | undefined> {
    try {
      const claims = await verify(text);
      return typeof claims.fam === "string" ? { text, claims, family: claims.fam } : undefined;
    } catch (error) {
      if (error instanceof KeysUnavailable) throw error;
      return undefined;
    }
  }

  return {
    Issue: (claims) => issue(withoutOwn(claims), crypto.randomUUID()),
    async Refresh(refreshToken) {
      const token = await read(refreshToken);
      if (token === undefined || await list.has(undefined, token)) return [undefined, refusal()];
      const claims = withoutOwn(token.claims);
      // Before the token is used up: when it fails, the client can come again.
      const next = options.OnRefresh === undefined ? claims : await options.OnRefresh(claims);
      if (!await list.use(token, Date.now())) {
        await list.add(token, Date.now());
        return [undefined, refusal()];
      }
      return next === undefined ? [undefined, refusal()] : [await issue(withoutOwn(next), token.family), null];
    },
    async Revoke(refreshToken) {
      const token = await read(refreshToken);
      if (token !== undefined) await list.add(token, Date.now());
    },
  };
}

function withoutOwn(claims: Claims): Claims {
  return Object.fromEntries(Object.entries(claims).filter(([name]) => !ownClaims.has(name)));
}

/** Says nothing of why: whether a token was used, blocked or never valid does not concern its sender. */
function refusal(): FrameworkError {
  return new FrameworkError("FW_AUTH", "Cannot refresh the tokens: the refresh token is not valid");
}
