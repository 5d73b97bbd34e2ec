/**
 * The state of a session within a request. It contains the loaded data and the changes, and it writes them to the
 * store.
 *
 * @module
 */
import { isBoolean, isText } from "../store/store_results.ts";
import { FrameworkError } from "../../base/errors/errors.ts";
import { andThen, type Awaitable } from "../store/store.ts";
import type { Logging, StoreGuard } from "../store/store_guard.ts";
import { generatedID, isExpires, isRenewalDue, type Settings, storeLifetime } from "./config.ts";
import { SessionChanges } from "./session_changes.ts";
import type { Stored } from "./store.ts";

/** The slot that stores a session's own lifetime if it differs from the manager's. */
const expiresSlot = "$";
const noSlots: ReadonlyMap<string, string> = new Map<string, string>();

/** The action to take on the cookie after a session is written. */
export type CookieAct = "keep" | "send" | "remove";

/** The parts of the manager and the request that a session needs. */
export interface StateDeps {
  readonly settings: Settings;
  readonly guard: StoreGuard;
  readonly log: Logging | undefined;
}

/** A session within a request. */
export class SessionState {
  readonly #deps: StateDeps;
  readonly #stored: Stored | null;
  readonly isNew: boolean;
  /** The ID sent with the request, or an empty string for a new session. */
  readonly firstID: string;
  #id: string;
  changes: SessionChanges;
  isDestroyed = false;
  /** Whether this request destroyed the session in the store. */
  isEnded = false;
  /** Whether this request gave the session another ID in the store. */
  isMoved = false;
  /** Whether a handler has used the session. */
  isWanted = false;
  /** Whether a handler has read or changed the session, so that the response depends on it. */
  isUsed = false;
  #isRenamed = false;
  #isExpiresSet = false;

  constructor(deps: StateDeps, id: string, stored: Stored | null) {
    this.#deps = deps;
    this.#stored = stored;
    this.isNew = stored === null;
    this.firstID = id;
    this.#id = id;
    this.changes = new SessionChanges(stored?.Slots ?? noSlots);
  }

  /**
   * Returns the session ID. A new session gets its ID on first use, because most new sessions stay empty and do not
   * need one.
   */
  get id(): string {
    if (this.#id === "") this.#id = generatedID(this.#deps.settings.Generator);
    return this.#id;
  }

  /** Returns the lifetime, as in the `Expires` setting. */
  get expires(): number {
    const own = this.changes.read(expiresSlot);
    return own === undefined ? this.#deps.settings.Expires : Number(own);
  }

  /** Returns the remaining lifetime at the time of loading, in milliseconds. */
  get remaining(): number {
    return this.#stored?.Remaining ?? storeLifetime(this.expires);
  }

  setExpires(expires: number): void {
    if (!isExpires(expires)) {
      throw new FrameworkError(
        "FW_SESSION",
        `Cannot set the session lifetime to "${expires}": it must be -1, 0 or a positive integer, in milliseconds`,
      );
    }
    this.changes.write(expiresSlot, String(expires));
    this.#isExpiresSet = true;
  }

  rename(): string {
    if (this.isDestroyed) throw new FrameworkError("FW_STATE", "Cannot regenerate the session: it has been destroyed");
    this.changes.assertOpen();
    this.#id = generatedID(this.#deps.settings.Generator);
    this.#isRenamed = true;
    return this.#id;
  }

  destroy(): void {
    if (this.isDestroyed) return;
    this.changes.assertOpen();
    this.isDestroyed = true;
    this.changes = new SessionChanges(noSlots);
    this.changes.seal("it has been destroyed");
  }

  /** Removes and returns a slot from the store. If several requests are concurrent, only one of them gets the slot. */
  take(slot: string): Awaitable<string | undefined> {
    const text = this.changes.read(slot);
    if (text === undefined) return undefined;
    this.changes.assertOpen();
    const stored = this.#stored;
    if (stored === null || this.changes.owns(slot)) {
      this.changes.remove(slot);
      return text;
    }
    this.changes.hide(slot);
    return andThen(this.#write(() => stored.Take(slot), isText), (taken) => taken ?? undefined);
  }

  /** Writes the changes of the request, if any. */
  write(): Awaitable<CookieAct> {
    if (this.isDestroyed) return this.#writeEnd();
    if (this.#stored === null) return this.#create();
    const isDue = this.#isRenamed || this.#isExpiresSet ||
      isRenewalDue(this.expires, this.#deps.settings.Rolling, this.#stored.Remaining);
    if (!isDue && !this.changes.isChanged) {
      this.#seal();
      return "keep";
    }
    return this.#commit(this.#stored, isDue);
  }

  #commit(stored: Stored, isDue: boolean): Awaitable<CookieAct> {
    const changes = {
      ...this.changes.collect(),
      ...isDue && { Lifetime: storeLifetime(this.expires) },
      ...this.#isRenamed && { ID: this.id },
    };
    this.#seal();
    return andThen(this.#write(() => stored.Commit(changes), isBoolean), (isDone) => {
      // The session was destroyed or has expired in the meantime. Dropping the changes has the same effect as if this
      // request had run before that.
      if (!isDone && !this.#isRenamed) return "keep";
      this.isMoved = isDone && this.#isRenamed;
      if (isDone) return isDue ? "send" : "keep";
      // The session was destroyed or renamed by another request. This request behaves as if it had arrived later with
      // an unknown ID, so it gets a new session with only its own changes.
      return this.#create();
    });
  }

  #create(): Awaitable<CookieAct> {
    const { settings } = this.#deps;
    const slots = this.changes.ownSlots();
    this.#seal();
    // An empty session is not stored, so that requests without a cookie do not fill the store.
    if (slots.size === (slots.has(expiresSlot) ? 1 : 0)) return "keep";
    return andThen(
      this.#write(() => settings.Store.Create(this.id, slots, storeLifetime(this.expires)), isBoolean),
      (isDone) => {
        if (isDone) return "send";
        throw new FrameworkError(
          "FW_SESSION",
          "Cannot create a session: Generator returned an ID that is already in use",
        );
      },
    );
  }

  #writeEnd(): Awaitable<CookieAct> {
    const stored = this.#stored;
    return stored === null ? "remove" : andThen(this.#write(() => stored.Destroy(), isBoolean), (isDone) => {
      this.isEnded = isDone;
      return "remove";
    });
  }

  #seal(): void {
    this.changes.seal("its changes have already been written");
  }

  #write<T>(call: () => Awaitable<T>, isValid: (value: unknown) => boolean): Awaitable<T> {
    return this.#deps.guard.write(this.#deps.log, call, isValid);
  }
}
