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
import { type Identities, identitySlots, type Login, startSlot } from "./identities.ts";
import { SessionChanges } from "./session_changes.ts";
import type { Stored } from "./store.ts";

/** The slot that stores a session's own lifetime if it differs from the manager's. */
const expiresSlot = "$";
const noSlots: ReadonlyMap<string, string> = new Map<string, string>();

/** The action to take on the cookie after a session is written. */
export type CookieAct = "keep" | "send" | "remove";

/** The parts of the manager that a session needs. */
export interface StateDeps {
  readonly settings: Settings;
  readonly guard: StoreGuard;
  /** The users of sessions. A session that was created without a manager has none. */
  readonly identities?: Identities;
}

/** A session within a request. */
export class SessionState {
  readonly #deps: StateDeps;
  readonly #log: Logging | undefined;
  readonly #stored: Stored | null;
  // Declared rather than defined, as in `Exchange`.
  declare readonly isNew: boolean;
  /** The time when the session was loaded, or 0 for a new session or a store that no other process uses. */
  declare readonly loadedAt: number;
  /** The ID sent with the request, or an empty string for a new session. */
  declare readonly firstID: string;
  #id: string;
  declare changes: SessionChanges;
  isDestroyed = false;
  /** Whether this request destroyed the session in the store. */
  isEnded = false;
  /** Whether this request gave the session another ID in the store. */
  isMoved = false;
  /** Whether a handler has used the session. */
  isWanted = false;
  /** Whether a handler has read or changed the session, so that the response depends on it. */
  isUsed = false;
  /** Whether a login has replaced the session by another one. */
  isReplaced = false;
  #isRenamed = false;
  #isExpiresSet = false;
  #login: Login | undefined = undefined;

  constructor(deps: StateDeps, log: Logging | undefined, id: string, stored: Stored | null) {
    this.#deps = deps;
    this.#log = log;
    this.#stored = stored;
    this.isNew = stored === null;
    this.loadedAt = stored === null ? 0 : deps.identities?.loadTime() ?? 0;
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

  /** Returns the `Expires` setting for the cookie, which does not outlive the session. */
  get cookieExpires(): number {
    return this.expires < 0 ? this.expires : this.lifetime;
  }

  /** Returns the remaining lifetime at the time of loading, in milliseconds. */
  get remaining(): number {
    return this.#stored?.Remaining ?? this.lifetime;
  }

  /** Returns the loaded slots. */
  get slots(): ReadonlyMap<string, string> {
    return this.#stored?.Slots ?? noSlots;
  }

  /** Returns the lifetime from now on, in milliseconds. */
  get lifetime(): number {
    return this.#lifetimeOf(this.expires);
  }

  /** Makes a new session belong to users. */
  join(login: Login): void {
    for (const [slot, text] of identitySlots(login, this.#deps.settings.Cookie)) this.changes.write(slot, text);
    this.#login = login;
    this.isWanted = true;
    this.isUsed = true;
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

  /** Returns the slots that contain the identity, including changes. */
  get identity(): { get(slot: string): string | undefined } {
    return { get: (slot) => this.changes.read(slot) };
  }

  /** Copies values to another session: those with the given names, or all of them. */
  copyTo(other: SessionState, names: readonly string[] | true): void {
    const wanted = names === true ? undefined : new Set(names.map((name) => name.toWellFormed()));
    for (const slot of this.changes.names("")) {
      const isValue = slot !== expiresSlot && !slot.startsWith("$");
      const isWanted = wanted === undefined || !slot.startsWith("~") && wanted.has(slot.slice(1));
      if (isValue && isWanted) other.changes.write(slot, this.changes.read(slot) ?? "");
    }
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
    this.#start();
    const isDue = this.#isRenamed || this.#isExpiresSet || this.#isRenewalDue(this.#stored);
    if (!isDue && !this.changes.isChanged) {
      this.#seal();
      return "keep";
    }
    return this.#commit(this.#stored, isDue);
  }

  #isRenewalDue({ Remaining: remaining }: Stored): boolean {
    const { expires } = this;
    return isRenewalDue(expires, this.#lifetimeOf(expires), this.#deps.settings.Rolling, remaining);
  }

  #lifetimeOf(expires: number): number {
    const longest = storeLifetime(expires);
    const { MaxLifetime } = this.#deps.settings;
    // Most sessions have no such limit, so neither their start nor the time is read.
    if (MaxLifetime === Infinity) return longest;
    const start = this.changes.read(startSlot);
    const age = start === undefined ? 0 : Date.now() - Number(start);
    return Math.max(1, Math.min(longest, MaxLifetime - age));
  }

  #commit(stored: Stored, isDue: boolean): Awaitable<CookieAct> {
    const changes = {
      ...this.changes.collect(),
      ...isDue && { Lifetime: this.lifetime },
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
    const own = this.changes.ownSlots();
    // An empty session is not stored, so that requests without a cookie do not fill the store. Neither are messages, if
    // another request has renamed the session: a form that is sent twice would otherwise log its user out.
    const isEmpty = [...own.keys()].every((slot) => {
      return slot === expiresSlot || (this.#stored !== null && /^[~$]/.test(slot));
    });
    if (!isEmpty) this.#start();
    const slots = isEmpty ? own : this.changes.ownSlots();
    this.#seal();
    if (isEmpty) return "keep";
    return andThen(
      andThen(this.#enter(), () => {
        return this.#write(() => settings.Store.Create(this.id, slots, this.lifetime), isBoolean);
      }),
      (isDone) => {
        if (isDone) return "send";
        throw new FrameworkError(
          "FW_SESSION",
          "Cannot create a session: Generator returned an ID that is already in use",
        );
      },
    );
  }

  /** Records the start of a session whose lifetime is limited. */
  #start(): void {
    if (this.#deps.settings.MaxLifetime === Infinity || this.changes.has(startSlot)) return;
    if (this.changes.isOpen) this.changes.write(startSlot, String(Date.now()));
  }

  #enter(): Awaitable<void> {
    const login = this.#login;
    return login === undefined ? undefined : this.#deps.identities?.join(this.#log, this.id, this.lifetime, login);
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
    return this.#deps.guard.write(this.#log, call, isValid);
  }
}
