/**
 * Tokens that are no longer valid although they have not expired.
 *
 * @module
 */

import { createHash } from "node:crypto";
import { FrameworkError } from "../../base/errors.ts";
import type { Context } from "../../context/context.ts";
import { type Awaitable, goOn } from "../../store/awaitable.ts";
import type { Store } from "../../store/store.ts";
import { StoreGuard } from "../../store/store_guard.ts";
import type { Claims } from "./signer.ts";

/** A token that has been verified. */
export interface Token {
  readonly text: string;
  readonly claims: Claims;
}

/** A refresh token's place in the sequence of its family. */
export interface Turn {
  readonly family: string;
  /** When the counter of the sequence began, in seconds since 1970. */
  readonly epoch: number;
  /** How many tokens of that counter came before. */
  readonly number: number;
}

/** Time to spare for clocks that differ, in milliseconds: more than the largest `ClockTolerance`. */
const spare = 660_000;
/** How long a token is blocked that never expires, in milliseconds. */
const forever = 1e12;

/** Stores blocked tokens and blocked families of tokens until they have expired. */
export class Blocklist {
  readonly #store: Store;
  readonly #guard = new StoreGuard("store of blocked tokens", "FW_STORE");
  #isKnownToKeep = false;

  /** Throws if the store is known to evict keys. */
  constructor(store: Store) {
    if (store.Evicts === true) {
      throw new FrameworkError(
        "FW_CONFIG",
        "Cannot store blocked tokens: the store evicts keys when it is full, and an evicted token is valid again; " +
          'use NewMemory({ WhenFull: "refuse" }), SQLite or Redis',
      );
    }
    this.#store = store;
    this.#isKnownToKeep = typeof store.Evicts !== "function";
  }

  /** Reports whether a token or its family is blocked. If the store fails, the request fails. */
  has(ctx: Context | undefined, token: Token): Awaitable<boolean> {
    const family = familyOf(token.claims);
    return this.#checked(ctx, () => {
      const single = this.#guard.read(ctx, () => this.#store.Get(keyOf(token)));
      return goOn(single, (found) => {
        if (found !== null || family === undefined) return found !== null;
        return goOn(this.#guard.read(ctx, () => this.#store.Get(family)), (text) => text !== null);
      });
    });
  }

  /**
   * Blocks a token until it expires, and all that descend from the same login until the last of them has expired.
   *
   * @param token Any token of the login.
   * @param refreshAge How long refresh tokens are valid now, in milliseconds, if that is known.
   */
  add(ctx: Context | undefined, token: Token, refreshAge = 0): Awaitable<void> {
    const family = familyOf(token.claims);
    const lifetime = family === undefined ? remaining(token.claims) : familyRemaining(token.claims, refreshAge);
    if (lifetime <= 0) return;
    return this.#checked(
      ctx,
      () => this.#guard.write(ctx, () => this.#store.Set(family ?? keyOf(token), "1", lifetime)),
    );
  }

  /**
   * Uses a refresh token up. One counter per family replaces a note per token: a client that refreshes without
   * end must not fill the store for everyone.
   *
   * @param turn The token's place in its sequence.
   * @param lifetime How long a token of the sequence can still be valid, in milliseconds.
   * @returns False if the token was used before, or if the store has lost the counter and cannot know.
   */
  use(turn: Turn, lifetime: number): Awaitable<boolean> {
    const key = `jwt:turn:${turn.family}:${turn.epoch}`;
    return this.#checked(undefined, () => {
      const count = this.#guard.write(undefined, () => this.#store.Increment(key, 1, lifetime + spare));
      return goOn(count, (n) => n === turn.number + 1);
    });
  }

  /** Asks the server behind the store once whether it evicts keys. */
  #checked<T>(ctx: Context | undefined, work: () => Awaitable<T>): Awaitable<T> {
    const { Evicts } = this.#store;
    if (this.#isKnownToKeep || typeof Evicts !== "function") return work();
    return goOn(this.#guard.read(ctx, () => Evicts.call(this.#store)), (isEvicting) => {
      if (isEvicting) {
        throw new FrameworkError(
          "FW_CONFIG",
          "Cannot store blocked tokens: the server of the store evicts keys when its memory is full, and an evicted " +
            'token is valid again; set "maxmemory-policy" to "noeviction"',
        );
      }
      this.#isKnownToKeep = true;
      return work();
    });
  }
}

/** How long a token can still be valid, in milliseconds. */
function remaining(claims: Claims): number {
  return typeof claims.exp === "number" ? claims.exp * 1000 - Date.now() + spare : forever;
}

/**
 * How long any token of a family can still be valid, in milliseconds. The family's latest refresh token may have been
 * issued just now, to the user or to a thief, so the age of the token at hand does not matter.
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
 * By the signed part rather than the whole text: a signature can be written in several ways that all verify, each of
 * them another text.
 */
function keyOf(token: Token): string {
  const signed = token.text.slice(0, token.text.lastIndexOf("."));
  return `jwt:token:${createHash("sha256").update(signed).digest("base64url")}`;
}
