/**
 * The stores of API keys.
 *
 * @module
 */

import { methods, type Option } from "../../base/config/option_kinds.ts";
import type { Awaitable } from "../../state/store/store.ts";

/** An API key without its secret. */
export interface KeyInfo {
  /** The ID, which is a part of the key's text. */
  readonly ID: string;
  /** The ID of the user whose rights the key has. */
  readonly Owner: string;
  /** The name that the owner has given the key. */
  readonly Name: string;
  /** The scopes, such as `posts:read`. */
  readonly Scopes: readonly string[];
  /** The time of creation. */
  readonly Created: Date;
  /** The time at which the key expires, or `null` if it does not. */
  readonly Expires: Date | null;
  /** The time of the last use, accurate to a minute, or `null` if the key has not been used. */
  readonly LastUsed: Date | null;
}

/** An API key as a store contains it. */
export interface StoredKey extends KeyInfo {
  /** The hash of the key's text. The text itself is never stored. */
  readonly Hash: string;
}

/**
 * A store of API keys. Applications implement it with one statement per method on their own database.
 * {@linkcode NewMemory} and `@fw/web/apikeys/sqlite` are implementations.
 */
export interface Store {
  /**
   * Adds a key.
   *
   * @param key The key.
   */
  Insert(key: StoredKey): Awaitable<void>;
  /**
   * Returns a key, even if it has expired.
   *
   * @param id The key's ID.
   * @returns The key, or `null` if there is none.
   */
  Find(id: string): Awaitable<StoredKey | null>;
  /**
   * Lists the keys of a user.
   *
   * @param owner The user's ID.
   * @returns The keys, oldest first, including expired ones.
   */
  List(owner: string): Awaitable<readonly StoredKey[]>;
  /**
   * Records the last use of a key.
   *
   * @param id The key's ID.
   * @param at The time.
   */
  Touch(id: string, at: Date): Awaitable<void>;
  /**
   * Lets a key of a user expire at a time, unless it expires earlier.
   *
   * @param id The key's ID.
   * @param owner The user's ID. Keys of other users are not changed.
   * @param at The time.
   * @returns Whether the user has such a key.
   */
  Expire(id: string, owner: string, at: Date): Awaitable<boolean>;
  /**
   * Removes a key of a user.
   *
   * @param id The key's ID.
   * @param owner The user's ID. Keys of other users are not removed.
   * @returns Whether the user had such a key.
   */
  Delete(id: string, owner: string): Awaitable<boolean>;
}

/** The row of the option that accepts a store. */
export const keyStoreOption: Option<Store, undefined> = methods(
  "Insert",
  "Find",
  "List",
  "Touch",
  "Expire",
  "Delete",
);

/** Reports whether a store has returned a key or `null`. */
export function isFound(value: unknown): boolean {
  return value === null || isStoredKey(value);
}

/** Reports whether a store has returned a list of keys. */
export function isList(value: unknown): boolean {
  return Array.isArray(value) && value.every(isStoredKey);
}

/** Reports whether a key has expired. */
export function isExpired({ Expires }: KeyInfo): boolean {
  return Expires !== null && Expires.getTime() <= Date.now();
}

function isStoredKey(value: unknown): value is StoredKey {
  const { ID, Owner, Name, Hash, Scopes, Created, Expires, LastUsed } = Object(value) as Record<string, unknown>;
  return [ID, Owner, Name, Hash].every((each) => typeof each === "string") && Array.isArray(Scopes) &&
    Scopes.every((each) => typeof each === "string") && isDate(Created) &&
    [Expires, LastUsed].every((each) => each === null || isDate(each));
}

function isDate(value: unknown): boolean {
  return value instanceof Date && !Number.isNaN(value.getTime());
}

/**
 * Creates a store in memory, for tests and examples.
 *
 * @returns The store.
 */
export function NewMemory(): Store {
  return new MemoryStore();
}

class MemoryStore implements Store {
  readonly #keys = new Map<string, StoredKey>();

  Insert(key: StoredKey): void {
    this.#keys.set(key.ID, key);
  }

  Find(id: string): StoredKey | null {
    return this.#keys.get(id) ?? null;
  }

  List(owner: string): readonly StoredKey[] {
    return [...this.#keys.values()].filter((key) => key.Owner === owner);
  }

  Touch(id: string, at: Date): void {
    const key = this.#keys.get(id);
    if (key !== undefined) this.#keys.set(id, { ...key, LastUsed: at });
  }

  Expire(id: string, owner: string, at: Date): boolean {
    const key = this.#keys.get(id);
    if (key?.Owner !== owner) return false;
    const isEarlier = key.Expires !== null && key.Expires <= at;
    if (!isEarlier) this.#keys.set(id, { ...key, Expires: at });
    return true;
  }

  Delete(id: string, owner: string): boolean {
    return this.#keys.get(id)?.Owner === owner && this.#keys.delete(id);
  }
}
