/**
 * A session within one request: what was loaded, what was done, and how it is written.
 *
 * @module
 */
import { FrameworkError } from "../base/errors.ts";
import { type Awaitable, goOn } from "../store/awaitable.ts";
import type { Logging, StoreGuard } from "../store/store_guard.ts";
import type { Settings } from "./config.ts";
import { generatedID } from "./id.ts";
import { SessionChanges } from "./session_changes.ts";
import { isExpires, isRenewalDue, storeLifetime } from "./lifetimes.ts";
import type { Stored } from "./store.ts";

/** The slot that keeps the lifetime of a session that was given another than the manager's. */
const expiresSlot = "$";
const noSlots: ReadonlyMap<string, string> = new Map<string, string>();

/** What writing a session means for its cookie. */
export type CookieAct = "keep" | "send" | "remove";

/** What a session needs to know of its manager and its request. */
export interface StateDeps {
  readonly settings: Settings;
  readonly guard: StoreGuard;
  readonly log: Logging | undefined;
}

/** One session in one request. */
export class SessionState {
  readonly #deps: StateDeps;
  readonly #stored: Stored | null;
  readonly isNew: boolean;
  /** The id that the request came with; empty for a new session. */
  readonly firstID: string;
  #id: string;
  changes: SessionChanges;
  isDestroyed = false;
  /** True once the store has ended the session for this request and no other. */
  isEnded = false;
  /** True once a handler has asked for the session. */
  isWanted = false;
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

  /** The id that the cookie holds. A new session gets one when it is asked for: most hold nothing and need none. */
  get id(): string {
    if (this.#id === "") this.#id = generatedID(this.#deps.settings.newID);
    return this.#id;
  }

  /** How long the session lives, as `Expires` says it. */
  get expires(): number {
    const own = this.changes.read(expiresSlot);
    return own === undefined ? this.#deps.settings.expires : Number(own);
  }

  /** How long the store keeps the session, in milliseconds, as of its loading. */
  get remaining(): number {
    return this.#stored?.Remaining ?? storeLifetime(this.expires);
  }

  setExpires(expires: number): void {
    if (!isExpires(expires)) {
      throw new FrameworkError(
        "FW_SESSION",
        `Cannot let a session expire after "${expires}" milliseconds: it is not a lifetime`,
      );
    }
    this.changes.write(expiresSlot, String(expires));
    this.#isExpiresSet = true;
  }

  rename(): string {
    if (this.isDestroyed) throw new FrameworkError("FW_STATE", "Cannot regenerate the session: it has been destroyed");
    this.#id = generatedID(this.#deps.settings.newID);
    this.#isRenamed = true;
    return this.#id;
  }

  destroy(): void {
    this.isDestroyed = true;
    this.changes = new SessionChanges(noSlots);
    this.changes.seal("it has been destroyed");
  }

  /** Takes a slot out of the store: of all requests at the same time, one gets it. */
  take(slot: string): Awaitable<string | undefined> {
    const text = this.changes.read(slot);
    if (text === undefined) return undefined;
    const stored = this.#stored;
    if (stored === null || this.changes.owns(slot)) {
      this.changes.remove(slot);
      return text;
    }
    this.changes.hide(slot);
    return goOn(this.#write(() => stored.Take(slot)), (taken) => taken ?? undefined);
  }

  /** Writes what the request did, if it did anything. */
  write(): Awaitable<CookieAct> {
    if (this.isDestroyed) return this.#writeEnd();
    if (this.#stored === null) return this.#create();
    const isDue = this.#isRenamed || this.#isExpiresSet ||
      isRenewalDue(this.expires, this.#deps.settings.isRolling, this.#stored.Remaining);
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
    return goOn(this.#write(() => stored.Commit(changes)), (isDone) => {
      // It was destroyed or has expired meanwhile. To write nothing is as if this request had come before that.
      if (!isDone && !this.#isRenamed) return "keep";
      if (isDone) return isDue ? "send" : "keep";
      // Destroyed, or replaced by another request, as this one wanted to replace it: as if this one had come after that
      // with an unknown id, it gets a new session that holds only what it put there itself.
      return this.#create();
    });
  }

  #create(): Awaitable<CookieAct> {
    const { settings } = this.#deps;
    const slots = this.changes.ownSlots();
    this.#seal();
    // A session that holds nothing is not stored: visits without a cookie must not fill the store.
    if (slots.size === (slots.has(expiresSlot) ? 1 : 0)) return "keep";
    return goOn(this.#write(() => settings.store.Create(this.id, slots, storeLifetime(this.expires))), (isDone) => {
      if (isDone) return "send";
      throw new FrameworkError("FW_SESSION", "Cannot create a session: the id generator returned an id that is in use");
    });
  }

  #writeEnd(): Awaitable<CookieAct> {
    const stored = this.#stored;
    return stored === null ? "remove" : goOn(this.#write(() => stored.Destroy()), (isDone) => {
      this.isEnded = isDone;
      return "remove";
    });
  }

  #seal(): void {
    this.changes.seal("its changes have been written already");
  }

  #write<T>(call: () => Awaitable<T>): Awaitable<T> {
    return this.#deps.guard.write(this.#deps.log, call);
  }
}
