/**
 * Protects the cache from its store. If the store fails, hangs or returns invalid data, the result is a cache miss.
 *
 * @module
 */

import { RecentMap } from "../../base/data/recent_map.ts";
import { FrameworkError } from "../../base/errors/errors.ts";
import { andThen, type Awaitable, boundedKey, detached } from "../../state/store/store.ts";
import { type Logging, StoreGuard } from "../../state/store/store_guard.ts";
import { type CachedResponse, isCachedResponse } from "./cached_response.ts";
import type { Store } from "./store.ts";

/** The time limit for a store call, in milliseconds. */
const longestCall = 1000;
/**
 * The time for which a failed store is not called, in milliseconds. Otherwise, every request would have to wait for it.
 */
const restAfterFailure = 1000;
/** The maximum number of recorded invalidations. */
const mostNoted = 1000;

/** The error for a store result that is not a cached response. */
class NotAResponse extends Error {
  override readonly name = "NotAResponse";
}

/** Calls a store. The methods never throw if the store fails. */
export class GuardedStore {
  readonly #store: Store;
  readonly #guard = new StoreGuard("cache store", "FW_STORE", "responses are not cached", longestCall);
  /** The value of the counter when each key was invalidated. A response that was started before that is not stored. */
  readonly #forgotten = new RecentMap<number>({ most: mostNoted });
  #turn = 0;
  #allForgotten = 0;
  /** The times of invalidations whose entries could not be deleted. Such entries are ignored. */
  readonly #undeleted = new RecentMap<number>({ most: mostNoted });
  #allUndeleted = 0;
  #restUntil = 0;
  /** Responses that have already been validated. A memory store returns the same objects again. */
  readonly #sound = new WeakSet<object>();

  constructor(store: Store) {
    this.#store = store;
  }

  /** Returns the current value of the counter for a new response. */
  begin(): number {
    return ++this.#turn;
  }

  /** Finds a response, synchronously if the store is in memory. */
  get(log: Logging, key: string): Awaitable<CachedResponse | undefined> {
    return andThen(this.#call(() => this.#guard.read(log, () => this.#read(key))), (found) => {
      if (found === undefined || this.#undeleted.size === 0 && this.#allUndeleted === 0) return found;
      const untrueAt = Math.max(this.#undeleted.get(boundedKey(key)) ?? 0, this.#allUndeleted);
      return found.Stored > untrueAt ? found : undefined;
    });
  }

  /**
   * Stores a response.
   *
   * @param since The counter returned by `begin`. If the key was invalidated since then, the response is not stored.
   * @returns Whether the response was stored.
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
    if (this.#forgotten.set(own, ++this.#turn)) this.#allForgotten = this.#turn;
    const now = Date.now();
    if (await this.#write(log, () => this.#store.Delete(key))) this.#undeleted.delete(own);
    else if (this.#undeleted.set(own, now)) this.#allUndeleted = now;
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
    return andThen(ownFailure<unknown>(() => this.#store.Get(key)), (found) => this.#checked(found));
  }

  #checked(found: unknown): CachedResponse | undefined {
    if (found === undefined || found === null) return undefined;
    if (this.#sound.has(found)) return found as CachedResponse;
    if (!isCachedResponse(found)) throw new NotAResponse("The store returned a value that is not a cached response");
    this.#sound.add(found);
    return found;
  }

  /** Runs a guarded call. Returns `undefined` if it fails or if the store failed recently. */
  #call<T>(call: () => Awaitable<T>): Awaitable<T | undefined> {
    if (this.#restUntil > 0 && performance.now() < this.#restUntil) return undefined;
    try {
      const result = call();
      return result instanceof Promise ? result.catch((error) => this.#rest(error)) : result;
    } catch (error) {
      return this.#rest(error);
    }
  }

  /** Pauses calls to the store after a failure. */
  #rest(error: unknown): undefined {
    // One invalid entry does not mean that the other entries are invalid.
    const isNonsense = error instanceof Error && error.cause instanceof NotAResponse;
    if (!isNonsense) this.#restUntil = performance.now() + restAfterFailure;
    return undefined;
  }
}

/**
 * Converts any error to a store failure. The guard would rethrow fw's own errors, but a store must never fail a
 * request.
 */
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
