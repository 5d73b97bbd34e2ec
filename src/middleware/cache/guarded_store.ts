/**
 * The store of a cache behind a guard: one that is down, hangs or returns nonsense is a cache miss.
 *
 * @module
 */

import { FrameworkError } from "../../base/errors.ts";
import { type Awaitable, goOn } from "../../store/awaitable.ts";
import { boundedKey, detached } from "../../store/key.ts";
import { type Logging, StoreGuard } from "../../store/store_guard.ts";
import { type CachedResponse, isCachedResponse } from "./cached_response.ts";
import type { Store } from "./store.ts";

/** How long one call may take, in milliseconds: a page is worth no longer wait. */
const longestCall = 1000;
/** How long a store that failed is left alone, in milliseconds: each request would otherwise wait for it anew. */
const restAfterFailure = 1000;
/** How many keys are noted whose entries became untrue. */
const mostNoted = 1000;

/** The store returned something else than a response. */
class NotAResponse extends Error {
  override readonly name = "NotAResponse";
}

/** Calls a store. No call fails. */
export class GuardedStore {
  readonly #store: Store;
  readonly #guard = new StoreGuard("cache store", "FW_STORE", "pages are created anew", longestCall);
  /** The turn at which the entry of a key became untrue: a page that was begun before it is not stored. */
  readonly #forgotten = new Map<string, number>();
  #turn = 0;
  #allForgotten = 0;
  /** When entries became untrue that could not be deleted: they are ignored. */
  readonly #undeleted = new Map<string, number>();
  #allUndeleted = 0;
  #restUntil = 0;
  /** Responses that were looked at before: a store in memory returns the same ones again. */
  readonly #sound = new WeakSet<object>();

  constructor(store: Store) {
    this.#store = store;
  }

  /** Begins a page. */
  begin(): number {
    return ++this.#turn;
  }

  /** Finds a response; at once if the store is in the process. */
  get(log: Logging, key: string): Awaitable<CachedResponse | undefined> {
    return goOn(this.#call(() => this.#guard.read(log, () => this.#read(key))), (found) => {
      if (found === undefined || this.#undeleted.size === 0 && this.#allUndeleted === 0) return found;
      const untrueAt = Math.max(this.#undeleted.get(boundedKey(key)) ?? 0, this.#allUndeleted);
      return found.Stored > untrueAt ? found : undefined;
    });
  }

  /**
   * Stores a response.
   *
   * @param since What `begin` returned for the page: if the entry became untrue since, it is not stored.
   * @returns False if it could not be stored.
   */
  async set(log: Logging, key: string, response: CachedResponse, lifetime: number, since: number): Promise<boolean> {
    const forgotten = Math.max(this.#forgotten.get(boundedKey(key)) ?? 0, this.#allForgotten);
    if (forgotten > since) return false;
    const isStored = await this.#write(log, () => this.#store.Set(key, response, lifetime));
    if (isStored) this.#undeleted.delete(boundedKey(key));
    return isStored;
  }

  /** Deletes a response. */
  async delete(log: Logging, key: string): Promise<void> {
    const own = detached(boundedKey(key));
    if (note(this.#forgotten, own, ++this.#turn)) this.#allForgotten = this.#turn;
    const now = Date.now();
    if (await this.#write(log, () => this.#store.Delete(key))) this.#undeleted.delete(own);
    else if (note(this.#undeleted, own, now)) this.#allUndeleted = now;
  }

  async #write(log: Logging, work: () => Awaitable<void>): Promise<boolean> {
    return await this.#call(() =>
      this.#guard.write(log, async () => {
        await ownFailure(work);
        return true;
      })
    ) === true;
  }

  #read(key: string): Awaitable<CachedResponse | undefined> {
    return goOn(ownFailure<unknown>(() => this.#store.Get(key)), (found) => this.#checked(found));
  }

  #checked(found: unknown): CachedResponse | undefined {
    if (found === undefined || found === null) return undefined;
    if (this.#sound.has(found)) return found as CachedResponse;
    if (!isCachedResponse(found)) throw new NotAResponse("It returned something that is not a cached response");
    this.#sound.add(found);
    return found;
  }

  /** Runs a call of the guard; `undefined` if it failed, or if the store rests. */
  #call<T>(call: () => Awaitable<T>): Awaitable<T | undefined> {
    if (this.#restUntil > 0 && performance.now() < this.#restUntil) return undefined;
    try {
      const result = call();
      return result instanceof Promise ? result.catch((error) => this.#rest(error)) : result;
    } catch (error) {
      return this.#rest(error);
    }
  }

  /** Leaves the store alone for a while after a failure. */
  #rest(error: unknown): undefined {
    // A single entry that cannot be read says nothing of the others.
    const isNonsense = error instanceof Error && error.cause instanceof NotAResponse;
    if (!isNonsense) this.#restUntil = performance.now() + restAfterFailure;
    return undefined;
  }
}

/** Takes any failure for one of the store: a guard lets errors of fw's own pass, and none may fail a page. */
function ownFailure<T>(work: () => Awaitable<T>): Awaitable<T> {
  try {
    const result = work();
    return result instanceof Promise ? result.catch(throwAsOwn) : result;
  } catch (error) {
    return throwAsOwn(error);
  }
}

function throwAsOwn(error: unknown): never {
  throw error instanceof FrameworkError ? new Error(error.message, { cause: error }) : error;
}

/** Notes a key in bounded memory; returns true if the notes before were dropped for it. */
function note(map: Map<string, number>, key: string, value: number): boolean {
  const isFull = map.size >= mostNoted;
  if (isFull) map.clear();
  map.set(key, value);
  return isFull;
}
