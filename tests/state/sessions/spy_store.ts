/**
 * A store that counts its calls and can be made to fail.
 *
 * @module
 */
import { NewMemory } from "../../../src/state/sessions/memory.ts";
import type { Changes, Store, Stored } from "../../../src/state/sessions/store.ts";

/** A memory store that records its calls. */
export class SpyStore implements Store {
  readonly #inner: Store;
  reads = 0;
  writes = 0;
  /** The changes of every commit. */
  commits: Changes[] = [];
  /** The error that every call throws, if any. */
  failure: Error | undefined = undefined;

  constructor(inner: Store = NewMemory()) {
    this.#inner = inner;
  }

  async Load(id: string): Promise<Stored | null> {
    this.#check();
    this.reads++;
    const stored = await this.#inner.Load(id);
    return stored === null ? null : this.#watched(stored);
  }

  async Create(id: string, slots: ReadonlyMap<string, string>, lifetime: number): Promise<boolean> {
    this.#check();
    this.writes++;
    return await this.#inner.Create(id, slots, lifetime);
  }

  async Close(): Promise<void> {
    await this.#inner.Close?.();
  }

  /** Resets the counts. */
  reset(): void {
    this.reads = 0;
    this.writes = 0;
    this.commits = [];
  }

  #watched(stored: Stored): Stored {
    const write = <T>(work: () => T) => {
      this.#check();
      this.writes++;
      return work();
    };
    return {
      Slots: stored.Slots,
      Remaining: stored.Remaining,
      Commit: (changes) => {
        this.commits.push(changes);
        return write(() => stored.Commit(changes));
      },
      Take: (slot) => write(() => stored.Take(slot)),
      Destroy: () => write(() => stored.Destroy()),
    };
  }

  #check(): void {
    if (this.failure !== undefined) throw this.failure;
  }
}
