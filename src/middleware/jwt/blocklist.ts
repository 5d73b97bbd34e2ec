/**
 * Stores tokens that were revoked before they expired.
 *
 * @module
 */

import { isBoolean, isCounter, isText } from "../../state/store/store_results.ts";
import { createHash } from "node:crypto";
import type { Context } from "../../core/context/context.ts";
import { FrameworkError } from "../../base/errors/errors.ts";
import type { Store } from "../../state/store/store.ts";
import { StoreGuard } from "../../state/store/store_guard.ts";
import type { Claims } from "./signer.ts";

/** A token that has been verified. */
export interface Token {
  readonly text: string;
  readonly claims: Claims;
}

/** The position of a refresh token within its family. */
export interface Turn {
  readonly family: string;
  /** The start time of the counter, in seconds since 1970. */
  readonly epoch: number;
  /** The number of earlier tokens with the same counter. */
  readonly number: number;
}

/** A safety margin for clock differences, in milliseconds. It exceeds the maximum `Tolerance`. */
const spare = 660_000;
/** The time for which a token without expiry is blocked, in milliseconds. */
const forever = 1e12;

/** Stores blocked tokens and blocked token families until they expire. */
export class Blocklist {
  readonly #store: Store;
  readonly #guard = new StoreGuard("token blocklist store", "FW_STORE");
  #isKnownToKeep = false;

  /** Creates the list. Throws if the store evicts keys. */
  constructor(store: Store) {
    if (store.Evicts === true) {
      throw new FrameworkError(
        "FW_CONFIG",
        "Cannot store blocked tokens: the store evicts keys if it is full, and an evicted token would be valid again; " +
          'use NewMemory({ WhenFull: "refuse" }), SQLite or Redis',
      );
    }
    this.#store = store;
    this.#isKnownToKeep = typeof store.Evicts !== "function";
  }

  /** Reports whether a token or its family is blocked. If the store fails, the request fails. */
  async has(ctx: Context | undefined, token: Token): Promise<boolean> {
    await this.#check(ctx);
    if (await this.#guard.read(ctx, () => this.#store.Get(keyOf(token)), isText) !== null) return true;
    const family = familyOf(token.claims);
    return family !== undefined && await this.#guard.read(ctx, () => this.#store.Get(family), isText) !== null;
  }

  /**
   * Blocks a token until it expires. If the token belongs to a family, blocks the whole family until its last token
   * expires.
   *
   * @param token Any token of the family.
   * @param refreshAge The current lifetime of refresh tokens, in milliseconds, if known.
   */
  async add(ctx: Context | undefined, token: Token, refreshAge = 0): Promise<void> {
    const family = familyOf(token.claims);
    const lifetime = family === undefined ? remaining(token.claims) : familyRemaining(token.claims, refreshAge);
    if (lifetime <= 0) return;
    await this.#check(ctx);
    await this.#guard.write(ctx, () => this.#store.Set(family ?? keyOf(token), "1", lifetime));
  }

  /**
   * Marks a refresh token as used. The store holds one counter per family instead of an entry per token, so that a
   * client that refreshes endlessly cannot fill the store.
   *
   * @param turn The position of the token in its family.
   * @param lifetime The maximum remaining lifetime of any token in the family, in milliseconds.
   * @returns Whether the token is used for the first time. Also returns `false` if the store has lost the counter.
   */
  async use(turn: Turn, lifetime: number): Promise<boolean> {
    const key = `jwt:turn:${turn.family}:${turn.epoch}`;
    await this.#check(undefined);
    const count = await this.#guard.write(undefined, () => this.#store.Increment(key, 1, lifetime + spare), isCounter);
    return count === turn.number + 1;
  }

  /** Checks once whether the store's server evicts keys. */
  async #check(ctx: Context | undefined): Promise<void> {
    const { Evicts } = this.#store;
    if (this.#isKnownToKeep || typeof Evicts !== "function") return;
    if (await this.#guard.read(ctx, () => Evicts.call(this.#store), isBoolean)) {
      throw new FrameworkError(
        "FW_CONFIG",
        "Cannot store blocked tokens: the store's server evicts keys if its memory is full, and an evicted token would " +
          'be valid again; set "maxmemory-policy" to "noeviction"',
      );
    }
    this.#isKnownToKeep = true;
  }
}

/** Returns the remaining lifetime of a token, in milliseconds. */
function remaining(claims: Claims): number {
  return typeof claims.exp === "number" ? claims.exp * 1000 - Date.now() + spare : forever;
}

/**
 * Returns the maximum remaining lifetime of any token in a family, in milliseconds. The age of the given token does not
 * matter, because the latest refresh token may have just been issued to the user or to a thief.
 */
function familyRemaining(claims: Claims, refreshAge: number): number {
  const { fex, iat } = claims;
  const age = typeof fex === "number" && typeof iat === "number" ? (fex - iat) * 1000 : 0;
  return Math.max(age, refreshAge, remaining(claims) - spare, 0) + spare;
}

function familyOf(claims: Claims): string | undefined {
  return typeof claims.fam === "string" ? `jwt:family:${claims.fam}` : undefined;
}

/**
 * Returns the store key of a token. Only the signed part is hashed, because the same signature can be encoded in
 * several valid ways.
 */
function keyOf(token: Token): string {
  const signed = token.text.slice(0, token.text.lastIndexOf("."));
  return `jwt:token:${createHash("sha256").update(signed).digest("base64url")}`;
}
