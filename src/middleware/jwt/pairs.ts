/**
 * Pairs of tokens: one that is valid for minutes, and one that gets the next pair, once.
 *
 * @module
 */

import { FrameworkError, type Result } from "../../base/errors.ts";
import { NewMemory } from "../../store/memory.ts";
import type { Store } from "../../store/store.ts";
import { Blocklist, type Token, type Turn } from "./blocklist.ts";
import { KeysUnavailable } from "./key_set.ts";
import type { Claims, Signer } from "./signer.ts";
import { refreshType, verification, type VerificationOptions } from "./verifier.ts";

/** How pairs are created. */
export interface PairOptions {
  /** Signs both tokens. */
  Signer: Signer;
  /** Verifies tokens that the signer signed. If it demands a `Type`, access tokens are signed with that type. */
  Verification: VerificationOptions;
  /** How long an access token is valid, in milliseconds; 10 minutes when left out. */
  AccessAge?: number;
  /** How long a refresh token is valid, in milliseconds; 30 days when left out. */
  RefreshAge?: number;
  /**
   * Where used and blocked tokens are stored: the same store as the verifier's `Blocklist`. Defaults to a store in
   * memory, which forgets them with a restart: refresh tokens that are not the first of their login are refused then,
   * and users log in again. Throws if the store evicts keys.
   */
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
  /** How long the access token is valid, in milliseconds. OAuth's `expires_in` is in seconds. */
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
   * Blocks all tokens that descend from the same login as a refresh token, until the last of them has expired.
   *
   * @param refreshToken Any refresh token of that login, also one that was used or has expired.
   */
  Revoke(refreshToken: string): Promise<void>;
}

/** Claims that belong to one token alone. */
const ownClaims: ReadonlySet<string> = new Set(["iat", "exp", "nbf", "jti", "fam", "fex", "fep", "fno"]);

/** A refresh token whose signature is right, and its place in its family. */
interface RefreshToken extends Token {
  readonly turn: Turn;
}

/**
 * Creates what issues pairs.
 *
 * @param options How pairs are created.
 * @returns The maker.
 */
export function NewPairs(options: PairOptions): Pairs {
  const { Signer: signer, AccessAge = 600_000, RefreshAge = 30 * 86_400_000, Verification } = options;
  const verify = verification(Verification, refreshType);
  const list = new Blocklist(options.Store ?? NewMemory({ WhenFull: "refuse" }));
  const accessType = Verification.Type === undefined ? {} : { Type: Verification.Type };

  async function issue(claims: Claims, { family, epoch, number }: Turn): Promise<Pair> {
    const content = { ...claims, fam: family, fex: Math.ceil((Date.now() + RefreshAge) / 1000) };
    const [AccessToken, RefreshToken] = await Promise.all([
      signer.Sign(content, { MaxAge: AccessAge, ...accessType }),
      signer.Sign({ ...content, fep: epoch, fno: number }, { MaxAge: RefreshAge, Type: refreshType }),
    ]);
    return { AccessToken, RefreshToken, ExpiresIn: AccessAge };
  }

  /** Reads a refresh token; one that has expired only if that is allowed. */
  async function read(text: string, isExpiredAllowed = false): Promise<RefreshToken | undefined> {
    try {
      return refreshTokenOf(text, await (isExpiredAllowed ? verify.whenever(text) : verify(text)));
    } catch (error) {
      if (error instanceof KeysUnavailable) throw error;
      return undefined;
    }
  }

  /**
   * The place of the next token. A counter in a store cannot be prolonged, so a family begins another one once its
   * counter is as old as a token can become.
   */
  function next({ family, epoch, number }: Turn): Turn {
    const now = seconds();
    return (now - epoch) * 1000 < RefreshAge
      ? { family, epoch, number: number + 1 }
      : { family, epoch: now, number: 0 };
  }

  return {
    Issue: (claims) => issue(withoutOwn(claims), { family: crypto.randomUUID(), epoch: seconds(), number: 0 }),
    async Refresh(refreshToken) {
      const token = await read(refreshToken);
      if (token === undefined || await list.has(undefined, token)) return [undefined, refusal()];
      const claims = withoutOwn(token.claims);
      // Before the token is used up: if it fails, the client can try again.
      const successor = options.OnRefresh === undefined ? claims : await options.OnRefresh(claims);
      if (!await list.use(token.turn, 2 * Math.max(RefreshAge, ageOf(token.claims)))) {
        await list.add(undefined, token, RefreshAge);
        return [undefined, refusal()];
      }
      if (successor === undefined) return [undefined, refusal()];
      return [await issue(withoutOwn(successor), next(token.turn)), null];
    },
    async Revoke(refreshToken) {
      const token = await read(refreshToken, true);
      if (token !== undefined) await list.add(undefined, token, RefreshAge);
    },
  };
}

function refreshTokenOf(text: string, claims: Claims): RefreshToken | undefined {
  const { fam: family, fep: epoch, fno: number } = claims;
  if (typeof family !== "string" || typeof epoch !== "number" || typeof number !== "number") return undefined;
  return { text, claims, turn: { family, epoch, number } };
}

/** How long a token was valid when it was issued, in milliseconds. */
function ageOf({ exp, iat }: Claims): number {
  return typeof exp === "number" && typeof iat === "number" ? (exp - iat) * 1000 : 0;
}

function seconds(): number {
  return Math.floor(Date.now() / 1000);
}

function withoutOwn(claims: Claims): Claims {
  return Object.fromEntries(Object.entries(claims).filter(([name]) => !ownClaims.has(name)));
}

/** Says nothing of why: whether a token was used, blocked or never valid does not concern its sender. */
function refusal(): FrameworkError {
  return new FrameworkError("FW_AUTH", "Cannot refresh the tokens: the refresh token is not valid");
}
