/**
 * The middleware that accepts API keys.
 *
 * @module
 */

import { RecentMap } from "../../base/data/recent_map.ts";
import { type Context, exchangeOf } from "../../core/context/context.ts";
import type { Handler } from "../../core/context/handler.ts";
import { returnedUser, type User } from "../../core/context/user.ts";
import { valueOf } from "../../core/exchange/exchange.ts";
import { noteFacts } from "../../core/exchange/handler_facts.ts";
import { Key } from "../../core/exchange/values.ts";
import { checkHeaderName } from "../../http/headers/header.ts";
import { type Logging, StoreGuard } from "../../state/store/store_guard.ts";
import { idOf, isKeyOf } from "./key_text.ts";
import { isExpired, isFound, type KeyInfo, type Store } from "./store.ts";

/** The parts of the application that the middleware needs. */
export interface GuardTerms {
  readonly store: Store;
  readonly prefix: string;
  readonly header: string;
  readonly load: ((owner: string, key: KeyInfo) => User | undefined | Promise<User | undefined>) | undefined;
}

/** The interval between two writes of a key's last use, in milliseconds. */
const touchEvery = 60_000;
/** The maximum number of keys whose last use is known in this process. */
const mostTouched = 10_000;

/** A string that is not a key. */
const malformed = "malformed";

const acceptedKey: Key<Accepted> = Key<Accepted>("API key");

interface Accepted {
  /** The guard that has accepted the key. Keys with the same prefix may belong to another store. */
  readonly by: GuardTerms;
  readonly text: string;
  readonly info: KeyInfo;
}

/**
 * Returns the key that authenticated a request.
 *
 * @param ctx The request context.
 * @returns The key, or `undefined` if the request was authenticated in another way.
 */
export function Of(ctx: Context): KeyInfo | undefined {
  return valueOf(exchangeOf(ctx), acceptedKey)?.info;
}

/**
 * Creates middleware that refuses requests that were authenticated by a key, with 403. Use it after the guards of the
 * routes that manage accounts and keys, so that a stolen key cannot be turned into an account or into another key.
 *
 * @returns The middleware.
 */
export function Deny(): Handler {
  // It admits requests without a user. Therefore, it does not count as a guard on its own.
  return noteFacts(function denyKeys(ctx: Context): void | Promise<void> {
    return Of(ctx) === undefined ? ctx.Next() : ctx.StopWithStatus(403);
  }, { isGuard: true, guard: "" });
}

/** Creates the function that creates the middleware for scopes. */
export function guardWith(terms: GuardTerms): (scopes: readonly string[]) => Handler {
  const { header, prefix } = terms;
  const isBearer = checkHeaderName(header) === "authorization";
  const scheme = isBearer
    ? { type: "http", scheme: "bearer", bearerFormat: `${prefix}_…` }
    : { type: "apiKey", in: "header", name: header };
  const guard = new StoreGuard("store of API keys", "FW_STORE");
  const touches = new Touches(terms.store);

  return (scopes) => {
    const name = `apikeys.Require(${scopes.map((scope) => JSON.stringify(scope)).join(", ")})`;
    const lacking = isBearer ? `Bearer error="insufficient_scope", scope="${scopes.join(" ")}"` : undefined;

    async function apiKey(ctx: Context): Promise<void> {
      const text = keyIn(ctx, terms, isBearer);
      if (text === undefined) {
        // The user of a key that another guard has accepted has fewer rights than the owner.
        if (ctx.User() !== undefined && Of(ctx) === undefined) return await ctx.Next();
        return refuse(ctx, 401, isBearer ? "Bearer" : undefined);
      }
      const info = await authenticate(ctx, terms, guard, text);
      if (info === undefined) return refuse(ctx, 401, isBearer ? 'Bearer error="invalid_token"' : undefined);
      touches.note(ctx, info);
      if (!scopes.every((scope) => info.Scopes.includes(scope))) return refuse(ctx, 403, lacking);
      await ctx.Next();
    }

    return noteFacts<Handler>(apiKey, {
      security: { name: "apiKey", scheme, scopes },
      isGuard: true,
      needsUser: true,
      guard: name,
    });
  };
}

/** Returns the key in the header, or `undefined` if the header is empty or contains something else. */
function keyIn(ctx: Context, { header, prefix }: GuardTerms, isBearer: boolean): string | undefined {
  const value = ctx.GetHeader(header).trim();
  if (!isBearer) return value === "" ? undefined : value;
  const token = /^bearer +(\S+)$/i.exec(value)?.[1];
  if (token?.startsWith(`${prefix}_`)) return token;
  // A key in the wrong form must not be ignored: the request would be that of the session's user.
  return value.includes(`${prefix}_`) ? malformed : undefined;
}

/** Sets the user of a valid key. */
async function authenticate(
  ctx: Context,
  terms: GuardTerms,
  guard: StoreGuard,
  text: string,
): Promise<KeyInfo | undefined> {
  const known = valueOf(exchangeOf(ctx), acceptedKey);
  if (known?.by === terms && known.text === text) return known.info;
  const { store, prefix, load } = terms;
  const id = idOf(prefix, text);
  if (id === undefined) return undefined;
  const stored = await guard.read(ctx, () => store.Find(id), isFound);
  if (stored === null || !isKeyOf(stored.Hash, text) || isExpired(stored)) return undefined;
  const { Hash: _hash, ...info } = stored;
  const owner = load === undefined
    ? { ID: info.Owner, Name: info.Owner, Roles: [], Method: "key" }
    : returnedUser(await load(info.Owner, info), "User of apikeys");
  if (owner === undefined) return undefined;
  const { Roles = [], Claims } = owner as Partial<User>;
  ctx.Values().Set(acceptedKey, { by: terms, text, info });
  ctx.SetUser({
    ...owner,
    // A key has the rights of its owner or fewer.
    Roles: Roles.filter((role) => info.Scopes.includes(role)),
    Method: "key",
    Claims: { ...Claims, key: info.ID, scopes: info.Scopes },
  });
  return info;
}

function refuse(ctx: Context, status: number, challenge: string | undefined): void {
  if (challenge !== undefined) ctx.Header("WWW-Authenticate", challenge);
  ctx.StopWithStatus(status);
}

/** Writes the last use of keys, at most once a minute. Requests do not wait for it, and do not fail with it. */
class Touches {
  readonly #store: Store;
  readonly #recent = new RecentMap<number>({ most: mostTouched });
  readonly #guard = new StoreGuard("store of API keys", "FW_STORE", "the last use of keys is not recorded");

  constructor(store: Store) {
    this.#store = store;
  }

  note(log: Logging, { ID, LastUsed }: KeyInfo): void {
    const now = Date.now();
    const last = Math.max(this.#recent.get(ID) ?? -Infinity, LastUsed?.getTime() ?? -Infinity);
    // A time in the future is that of a clock that was wrong.
    if (Math.abs(now - last) < touchEvery) return;
    this.#recent.set(ID, now);
    try {
      const writing = this.#guard.write(log, () => this.#store.Touch(ID, new Date(now)));
      if (writing instanceof Promise) writing.catch(ignore);
    } catch {
      // The guard has logged it.
    }
  }
}

function ignore(): void {}
