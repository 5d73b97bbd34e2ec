/**
 * Stores for cached responses, in memory or in a shared store.
 *
 * @module
 */

import { checkArgument } from "../../base/config/option_table.ts";
import { count, methods, text } from "../../base/config/option_kinds.ts";
import { type Awaitable, boundedKey, detached, type Store as SharedStore } from "../../state/store/store.ts";
import { type CachedResponse, fromText, toText } from "./cached_response.ts";

/** A store for cached responses. */
export interface Store {
  /**
   * Returns a cached response.
   *
   * @param key The key.
   * @returns The response, or `undefined` if there is none.
   */
  Get(key: string): Awaitable<CachedResponse | undefined>;
  /**
   * Stores a response, replacing any previous one.
   *
   * @param key The key.
   * @param response The response.
   * @param lifetime The time for which the response may be stored, in milliseconds.
   */
  Set(key: string, response: CachedResponse, lifetime: number): Awaitable<void>;
  /**
   * Deletes a response.
   *
   * @param key The key.
   */
  Delete(key: string): Awaitable<void>;
}

/** The estimated size of an entry without its body: its key, headers and objects. */
const overhead = 512;

interface Row {
  readonly response: CachedResponse;
  readonly expires: number;
  readonly size: number;
}

/**
 * Creates a memory store with a maximum size. If it is full, the least recently used responses are removed.
 *
 * @param maxBytes The maximum size, in bytes. Defaults to 64 MiB.
 * @returns The store.
 * @throws {FrameworkError} If the size is not a positive integer.
 */
export function NewMemory(maxBytes: number = 64 << 20): Store {
  checkArgument(maxBytes, count(), "maxBytes", "cache.NewMemory");
  return new MemoryStore(maxBytes);
}

class MemoryStore implements Store {
  readonly #maxBytes: number;
  // A Map keeps insertion order. Used entries are moved to the end, so the first one is the least recently used.
  readonly #rows = new Map<string, Row>();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  Get(key: string): CachedResponse | undefined {
    const own = boundedKey(key);
    const row = this.#rows.get(own);
    if (row === undefined) return undefined;
    this.#rows.delete(own);
    if (row.expires <= performance.now()) {
      this.#bytes -= row.size;
      return undefined;
    }
    this.#rows.set(own, row);
    return row.response;
  }

  Set(key: string, response: CachedResponse, lifetime: number): void {
    // A substring keeps its whole URL in memory, and a byte view keeps its whole buffer.
    const own = detached(boundedKey(key));
    this.#remove(own);
    const size = overhead + 2 * own.length + response.Body.buffer.byteLength + headersSize(response);
    if (size > this.#maxBytes) return;
    this.#rows.set(own, { response, expires: performance.now() + lifetime, size });
    this.#bytes += size;
    while (this.#bytes > this.#maxBytes) this.#remove(this.#oldest());
  }

  Delete(key: string): void {
    this.#remove(boundedKey(key));
  }

  #remove(own: string): void {
    const row = this.#rows.get(own);
    if (row === undefined) return;
    this.#rows.delete(own);
    this.#bytes -= row.size;
  }

  #oldest(): string {
    return this.#rows.keys().next().value ?? "";
  }
}

function headersSize({ Headers, Vary }: CachedResponse): number {
  let size = 0;
  for (const [name, value] of [...Headers, ...Vary]) size += 2 * (name.length + value.length);
  return size;
}

/**
 * Creates a store that uses a shared store, so that responses are shared by all processes of a machine (SQLite) or by
 * all machines (Redis).
 *
 * @param shared The shared store.
 * @param prefix The prefix of every key. Defaults to `cache:`.
 * @returns The store.
 */
export function FromStore(shared: SharedStore, prefix = "cache:"): Store {
  checkArgument(shared, methods("Get", "Set", "Delete"), "shared", "cache.FromStore");
  checkArgument(prefix, text(), "prefix", "cache.FromStore");
  return {
    async Get(key: string): Promise<CachedResponse | undefined> {
      const text = await shared.Get(prefix + key);
      return text === null ? undefined : fromText(text);
    },
    async Set(key: string, response: CachedResponse, lifetime: number): Promise<void> {
      await shared.Set(prefix + key, toText(response), lifetime);
    },
    async Delete(key: string): Promise<void> {
      await shared.Delete(prefix + key);
    },
  };
}
