/**
 * Where a cache keeps responses: in memory, or in any shared store.
 *
 * @module
 */

import { FrameworkError } from "../../base/errors.ts";
import type { Awaitable } from "../../store/awaitable.ts";
import { boundedKey, detached } from "../../store/key.ts";
import type { Store as SharedStore } from "../../store/store.ts";
import { type CachedResponse, fromText, toText } from "./cached_response.ts";

/** What a cache needs of a store. */
export interface Store {
  /**
   * Finds a response.
   *
   * @param key Its key.
   * @returns The response, or `undefined` when there is none.
   */
  Get(key: string): Awaitable<CachedResponse | undefined>;
  /**
   * Keeps a response in place of another.
   *
   * @param key Its key.
   * @param response The response.
   * @param lifetime How long it may be kept, in milliseconds.
   */
  Set(key: string, response: CachedResponse, lifetime: number): Awaitable<void>;
  /**
   * Forgets a response.
   *
   * @param key Its key.
   */
  Delete(key: string): Awaitable<void>;
}

/** What a kept response costs beside its body: its key, its headers and the objects that hold them. */
const overhead = 512;

interface Row {
  readonly response: CachedResponse;
  readonly expires: number;
  readonly size: number;
}

/**
 * Creates a store in memory that is bounded in bytes: when it is full, what was not used for longest goes.
 *
 * @param maxBytes The most bytes that it holds; 64 MiB unless given.
 * @returns The store.
 */
export function NewMemory(maxBytes: number = 64 << 20): Store {
  if (!Number.isSafeInteger(maxBytes) || maxBytes < 1) {
    throw new FrameworkError("FW_CONFIG", `Cannot create a cache of "${maxBytes}" bytes: it must be 1 or more`);
  }
  return new MemoryStore(maxBytes);
}

class MemoryStore implements Store {
  readonly #maxBytes: number;
  // A Map keeps the order of insertion: what is used is put last, so the first was not used for longest.
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
    // A part of a URL keeps the whole URL in memory, and a view on bytes all of its buffer.
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
 * Keeps responses in a shared store, so that all processes of a machine (SQLite) or all machines (Redis) use them.
 *
 * @param shared The shared store.
 * @param prefix What every key begins with; `cache:` unless given.
 * @returns The store.
 */
export function FromStore(shared: SharedStore, prefix = "cache:"): Store {
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
