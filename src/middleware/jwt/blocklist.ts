/**
 * Tokens that count no more, though they have not expired.
 *
 * @module
 */

import { createHash } from "node:crypto";
import type { Context } from "../../context/context.ts";
import { type Awaitable, then } from "../../store/awaitable.ts";
import type { Store } from "../../store/store.ts";
import { StoreGuard } from "../../store/store_guard.ts";
import type { Claims } from "./signer.ts";

/** A token that has been verified. */
export interface Token {
  readonly text: string;
  readonly claims: Claims;
}

/** Keeps blocked tokens, and blocked families of them, until they would have expired. */
export class Blocklist {
  readonly #store: Store;
  readonly #guard = new StoreGuard("store of blocked tokens", "FW_STORE");

  constructor(store: Store) {
    this.#store = store;
  }

  /** Reports whether a token, or the family that it is of, is blocked. A store that fails fails the request. */
  has(ctx: Context | undefined, token: Token): Awaitable<boolean> {
    const single = this.#guard.read(ctx, () => this.#store.Get(keyOf(token)));
    const family = familyOf(token.claims);
    return then(single, (found) => {
      if (found !== null || family === undefined) return found !== null;
      return then(this.#guard.read(ctx, () => this.#store.Get(family)), (text) => text !== null);
    });
  }

  /** Blocks a token until it expires, and with it all that descend from the same login. */
  add(token: Token, now: number): Awaitable<void> {
    const lifetime = remaining(token.claims, now);
    if (lifetime <= 0) return;
    const key = familyOf(token.claims) ?? keyOf(token);
    return this.#guard.write(undefined, () => this.#store.Set(key, "1", lifetime));
  }

  /** Marks a token as used; false when it was before. */
  use(token: Token, now: number): Awaitable<boolean> {
    const lifetime = remaining(token.claims, now);
    return this.#guard.write(undefined, () => this.#store.Create(`${keyOf(token)}:used`, "1", lifetime));
  }
}

/**
 * How long a token is remembered, with time to spare for clocks that differ: until the last token of its family has
 * expired, or itself; one that never expires for thirty years.
 */
function remaining(claims: Claims, now: number): number {
  const end = Math.max(...[claims.fex, claims.exp].filter((time) => typeof time === "number"));
  return Number.isFinite(end) ? end * 1000 - now + 660_000 : 1e12;
}

function familyOf(claims: Claims): string | undefined {
  return typeof claims.fam === "string" ? `jwt:family:${claims.fam}` : undefined;
}

/**
 * By what was signed, and not by the whole text: a signature can be written in several ways that all verify, each of
 * them another text.
 */
function keyOf(token: Token): string {
  const signed = token.text.slice(0, token.text.lastIndexOf("."));
  return `jwt:token:${createHash("sha256").update(signed).digest("base64url")}`;
}
