/**
 * What a session store must do.
 *
 * A store keeps, for every session, named slots of text and a time to live. It never looks into a slot but to add a
 * number. The manager reads a session once per request, and writes once, before the response is sent, and only what the
 * request changed. All rules below follow from one: **whatever requests run at the same time, the store ends as if
 * they had run one after another.**
 *
 * @module
 */

import type { Awaitable } from "../store/awaitable.ts";

/** Where sessions are kept. */
export interface Store {
  /**
   * Finds a live session by its id.
   *
   * @param id The id that the client sent: compare it byte for byte, an id in another case is another id.
   * @returns The session as it is now, or `null` when the id is unknown, expired, destroyed, or was replaced.
   */
  Load(id: string): Awaitable<Stored | null>;
  /**
   * Keeps a new session.
   *
   * @param id Its id.
   * @param slots Its first content.
   * @param lifetime How long it lives, in milliseconds from now, by the store's own clock.
   * @returns False, with nothing done, when the id is in use.
   */
  Create(id: string, slots: ReadonlyMap<string, string>, lifetime: number): Awaitable<boolean>;
  /** Lets go of files and connections. No call may follow. */
  Close?(): Awaitable<void>;
}

/**
 * One session, found in its store.
 *
 * It stays the same session when its id is replaced: a request that loaded it under the old id and commits later than
 * the replacement loses nothing.
 */
export interface Stored {
  /** The slots as they were when the session was loaded. Later changes do not show here. */
  readonly Slots: ReadonlyMap<string, string>;
  /** How many milliseconds were left to live when the session was loaded. */
  readonly Remaining: number;
  /**
   * Applies all changes of one request, or none of them.
   *
   * @param changes What the request did.
   * @returns False, with nothing done, when the session has been destroyed or has expired since it was loaded: it must
   * not come back to life. With a new `ID` also false when that id is in use, or when the session no longer has the id
   * under which it was loaded: a client that knew the old id must not follow to the new one.
   */
  Commit(changes: Changes): Awaitable<boolean>;
  /**
   * Removes one slot and returns what was in it. Of any number of takers at the same time, exactly one gets it.
   *
   * @param slot The slot.
   * @returns Its text, or `null` when it is empty or the session is gone.
   */
  Take(slot: string): Awaitable<string | null>;
  /**
   * Ends the session under whatever id it now has.
   *
   * @returns False when it was gone already.
   */
  Destroy(): Awaitable<boolean>;
}

/** What one request did to a session. A slot is in at most one of `Set`, `Add`, and `Delete`. */
export interface Changes {
  /** Slots and their new text. */
  readonly Set: ReadonlyMap<string, string>;
  /**
   * Slots that hold a JSON number, and what to add to it. A slot that is empty or does not hold a number counts as
   * zero.
   */
  readonly Add: ReadonlyMap<string, number>;
  /** Slots to remove. */
  readonly Delete: ReadonlySet<string>;
  /** A new time to live, in milliseconds from now; left out, the session ends when it would have. */
  readonly Lifetime?: number;
  /** A new id: from this commit on the old one is unknown. */
  readonly ID?: string;
}

/**
 * Adds to a slot as every store must, for stores that do it in TypeScript.
 *
 * @param text What the slot holds.
 * @param n What to add.
 * @returns What it holds afterwards.
 */
export function AddTo(text: string | undefined, n: number): string {
  return String(numberIn(text) + n);
}

/** The number a slot's text stands for: JSON numbers only, so `"5"` (a JSON string) counts as zero. */
export function numberIn(text: string | undefined): number {
  if (text === undefined || text === "") return 0;
  const first = text.charCodeAt(0);
  const numeric = first === 0x2d || (first >= 0x30 && first <= 0x39);
  return numeric ? Number(text) : 0;
}
