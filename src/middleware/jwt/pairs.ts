/**
 * Token pairs. A pair consists of a short-lived access token and a refresh token that can be exchanged once for the
 * next pair.
 *
 * @module
 */

import { returnedObject, returnedString } from "../../base/config/returned.ts";
import { func, group, methods, milliseconds, required } from "../../base/config/option_kinds.ts";
import { optionTable, readOptions } from "../../base/config/option_table.ts";
import { FrameworkError, type Result } from "../../base/errors/errors.ts";
import { NewMemory } from "../../state/store/memory.ts";
import { type Store, storeOption } from "../../state/store/store.ts";
import { Blocklist, type Token, type Turn } from "./blocklist.ts";
import { KeysUnavailable } from "./key_set.ts";
import type { Claims, Signer } from "./signer.ts";
import {
  refreshType,
  verification,
  type VerificationOptions,
  verificationRows,
  type VerificationSettings,
} from "./verifier.ts";

/** Options for {@linkcode NewPairs}. */
export interface PairOptions {
  /** The signer for both tokens. */
  Signer: Signer;
  /** The options for verifying the signer's tokens. If `Type` is set, access tokens are signed with that type. */
  Verification: VerificationOptions;
  /**
   * The lifetime of an access token, in milliseconds.
   *
   * @default {600000}
   */
  AccessAge?: number;
  /**
   * The lifetime of a refresh token, in milliseconds.
   *
   * @default {2592000000}
   */
  RefreshAge?: number;
  /**
   * The store for used and blocked tokens. It must be the same store as the verifier's `Blocklist` and must not evict
   * keys. If omitted, the tokens are stored in the memory of one thread and lost on restart. After a restart, only the
   * first refresh token of each login is accepted, and users with a later one must log in again.
   */
  Store?: Store;
  /**
   * Called on each refresh. Returns the claims for the next pair, for example with updated roles, or `undefined` to
   * reject the refresh. If omitted, the next pair has the same claims.
   */
  OnRefresh?: (claims: Claims) => Claims | undefined | Promise<Claims | undefined>;
}

/** An access token and a refresh token, named as in OAuth. */
export interface Pair {
  /** The short-lived access token. */
  readonly AccessToken: string;
  /** The refresh token, which can be exchanged once for the next pair. */
  readonly RefreshToken: string;
  /** The lifetime of the access token, in milliseconds. Note that OAuth's `expires_in` is in seconds. */
  readonly ExpiresIn: number;
}

/** An issuer of token pairs, created by {@linkcode NewPairs}. */
export interface Pairs {
  /**
   * Issues the first pair after a login.
   *
   * @param claims The claims of both tokens.
   * @returns The pair.
   */
  Issue(claims: Claims): Promise<Pair>;
  /**
   * Exchanges a refresh token for the next pair. Each refresh token can be used only once. If it is used again, it was
   * probably stolen, so all tokens of the same login are blocked.
   *
   * @param refreshToken The refresh token of the last pair.
   * @returns The pair, or an error if the token is not valid.
   */
  Refresh(refreshToken: string): Promise<Result<Pair>>;
  /**
   * Blocks all tokens of the same login as a refresh token, until the last of them has expired.
   *
   * @param refreshToken Any refresh token of that login, even if it was used or has expired.
   */
  Revoke(refreshToken: string): Promise<void>;
}

/** Claims that are specific to a single token. */
const ownClaims: ReadonlySet<string> = new Set(["iat", "exp", "nbf", "jti", "fam", "fex", "fep", "fno"]);

/** A refresh token with a valid signature, and its position in its family. */
interface RefreshToken extends Token {
  readonly turn: Turn;
}

const table = optionTable<PairOptions>("middleware/jwt.PairOptions", "jwt.NewPairs")({
  Signer: required(methods("Sign")),
  Verification: required(group(verificationRows)),
  AccessAge: milliseconds(600_000, { isPositive: true, to: 1e13 }),
  RefreshAge: milliseconds(30 * 86_400_000, { isPositive: true, to: 1e13 }),
  Store: storeOption,
  OnRefresh: func(),
});

/**
 * Creates an issuer of token pairs.
 *
 * @param options The options.
 * @returns The issuer.
 * @throws {FrameworkError} If an option is invalid or the store evicts keys.
 */
export function NewPairs(options: PairOptions): Pairs {
  const settings = readOptions(table, options);
  const { Signer: signer, AccessAge, RefreshAge, Store = NewMemory({ WhenFull: "refuse" }), OnRefresh } = settings;
  const Verification = settings.Verification as VerificationSettings;
  const verify = verification(Verification, refreshType);
  const list = new Blocklist(Store);
  const accessType = Verification.Type === undefined ? {} : { Type: Verification.Type };

  async function issue(claims: Claims, { family, epoch, number }: Turn): Promise<Pair> {
    const content = { ...claims, fam: family, fex: Math.ceil((Date.now() + RefreshAge) / 1000) };
    const [AccessToken, RefreshToken] = await Promise.all([
      signer.Sign(content, { MaxAge: AccessAge, ...accessType }),
      signer.Sign({ ...content, fep: epoch, fno: number }, { MaxAge: RefreshAge, Type: refreshType }),
    ]);
    for (const token of [AccessToken, RefreshToken]) returnedString(token, "Sign of jwt.NewPairs");
    return { AccessToken, RefreshToken, ExpiresIn: AccessAge };
  }

  /** Reads a refresh token. An expired token is accepted only if `isExpiredAllowed` is set. */
  async function read(text: string, isExpiredAllowed = false): Promise<RefreshToken | undefined> {
    try {
      return refreshTokenOf(text, await (isExpiredAllowed ? verify.whenever(text) : verify(text)));
    } catch (error) {
      if (error instanceof KeysUnavailable) throw error;
      return undefined;
    }
  }

  /**
   * Returns the position of the next token. The lifetime of a counter in a store cannot be extended, so a family starts
   * a new counter when the current one has reached the maximum age of a token.
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
      // This is called before the token is marked as used, so that the client can retry after a failure.
      const successor = OnRefresh === undefined ? claims : await OnRefresh(claims);
      if (successor !== undefined) returnedObject(successor, "OnRefresh of jwt.NewPairs");
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

/** Returns the original lifetime of a token, in milliseconds. */
function ageOf({ exp, iat }: Claims): number {
  return typeof exp === "number" && typeof iat === "number" ? (exp - iat) * 1000 : 0;
}

function seconds(): number {
  return Math.floor(Date.now() / 1000);
}

function withoutOwn(claims: Claims): Claims {
  return Object.fromEntries(Object.entries(claims).filter(([name]) => !ownClaims.has(name)));
}

/**
 * Creates the error for a rejected refresh token. It does not reveal whether the token was used, blocked or never
 * valid.
 */
function refusal(): FrameworkError {
  return new FrameworkError("FW_AUTH", "Cannot refresh the tokens: the refresh token is not valid");
}
