/**
 * The interface of session stores.
 *
 * A store holds named text slots and a lifetime for each session. It does not interpret the slots, except when it adds
 * to a number. The manager loads a session once per request and commits it once, before the response is sent, with only
 * the changes of that request. All rules below follow from one principle: **no matter which requests run concurrently,
 * the result is the same as if they had run one after another.**
 *
 * @module
 */

import { amount } from "../../base/config/option_kinds.ts";
import { checkArgument, checkText } from "../../base/config/option_table.ts";
import type { Awaitable } from "../store/store.ts";

/** A session store. */
export interface Store {
  /**
   * Loads a session by its ID.
   *
   * @param id The ID sent by the client. It must be compared byte by byte, including case.
   * @returns The current session, or `null` if the ID is unknown, expired, destroyed or replaced.
   */
  Load(id: string): Awaitable<Stored | null>;
  /**
   * Creates a session.
   *
   * @param id The session ID.
   * @param slots The initial slots.
   * @param lifetime The lifetime from now on, in milliseconds, by the store's own clock.
   * @returns `false` if the ID is already in use. Nothing is stored in that case.
   */
  Create(id: string, slots: ReadonlyMap<string, string>, lifetime: number): Awaitable<boolean>;
  /**
   * Destroys all sessions. Sessions that are created at the same time may remain.
   *
   * @returns The current IDs of the sessions.
   */
  DestroyAll?(): Awaitable<readonly string[]>;
  /** Closes files and connections. The store must not be used afterwards. */
  Close?(): Awaitable<void>;
}

/**
 * A loaded session.
 *
 * The session remains the same if its ID is replaced. A request that loaded it with the old ID and commits after the
 * replacement does not lose its changes.
 */
export interface Stored {
  /** The slots at the time of loading. Later changes are not visible here. */
  readonly Slots: ReadonlyMap<string, string>;
  /** The remaining lifetime at the time of loading, in milliseconds. */
  readonly Remaining: number;
  /**
   * Applies all changes of a request, or none of them.
   *
   * @param changes The changes.
   * @returns `false` if the session has been destroyed or has expired since it was loaded, because it must not be
   * revived. If `ID` is set, also returns `false` if the new ID is in use or if the session no longer has the ID it was
   * loaded with, so that a client that knew the old ID cannot follow to the new one. Nothing is changed in these cases.
   */
  Commit(changes: Changes): Awaitable<boolean>;
  /**
   * Removes and returns a slot. If several calls are concurrent, exactly one of them gets the text.
   *
   * @param slot The slot name.
   * @returns The text, or `null` if the slot is empty or the session no longer exists.
   */
  Take(slot: string): Awaitable<string | null>;
  /**
   * Destroys the session, regardless of its current ID.
   *
   * @returns `false` if the session did not exist anymore.
   */
  Destroy(): Awaitable<boolean>;
}

/** The changes that a request makes to a session. A slot is in at most one of `Set`, `Add` and `Delete`. */
export interface Changes {
  /** The slots to set, with their new text. */
  readonly Set: ReadonlyMap<string, string>;
  /**
   * The slots to add to, with the number to add. A slot that is empty or does not contain a JSON number is treated as
   * 0.
   */
  readonly Add: ReadonlyMap<string, number>;
  /** The slots to delete. */
  readonly Delete: ReadonlySet<string>;
  /** The new lifetime from now on, in milliseconds. If omitted, the expiry does not change. */
  readonly Lifetime?: number;
  /** The new ID. After the commit, the old ID is unknown. */
  readonly ID?: string;
}

/**
 * Adds a number to the text of a slot, for stores implemented in TypeScript.
 *
 * @param text The text of the slot.
 * @param n The number to add.
 * @returns The new text.
 */
export function AddTo(text: string | undefined, n: number): string {
  if (text !== undefined) checkText(text, "text", "AddTo");
  checkArgument(n, amount(undefined, { from: -Infinity }), "n", "AddTo");
  return String(numberIn(text) + n);
}

/** Returns the number in a slot. Only JSON numbers are recognized, so `"5"` (a JSON string) is treated as 0. */
export function numberIn(text: string | undefined): number {
  if (text === undefined || text === "") return 0;
  const first = text.charCodeAt(0);
  const numeric = first === 0x2d || (first >= 0x30 && first <= 0x39);
  return numeric ? Number(text) || 0 : 0;
}

/** Reports whether a value is a loaded session, or `null`. */
export function isStored(value: unknown): boolean {
  if (value === null) return true;
  if (typeof value !== "object") return false;
  const { Slots, Remaining, Commit } = value as Partial<Stored>;
  return Slots instanceof Map && typeof Remaining === "number" && !Number.isNaN(Remaining) &&
    typeof Commit === "function";
}
