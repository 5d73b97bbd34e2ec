/**
 * The users that sessions belong to. Records logins, checks them when a session is loaded, and ends them.
 *
 * @module
 */
import type { Context } from "../../core/context/context.ts";
import type { SessionEnd } from "../../core/exchange/stream_terms.ts";
import { andThen, type Awaitable } from "../store/store.ts";
import type { Logging, StoreGuard } from "../store/store_guard.ts";
import { isBoolean } from "../store/store_results.ts";
import type { Settings } from "./config.ts";
import { type Endings, endingsOf, everySession } from "./endings.ts";
import type { Stored } from "./store.ts";
import { type Entry, newHandle, parsedList, seenEvery, shortAgent, UserRows } from "./user_rows.ts";

/** The slot with the IDs of the users that a session belongs to, as a JSON array. Usually there is one. */
const usersSlot = "$u";
/** The slot with the handle of a session that belongs to a user. */
const handleSlot = "$h";
/** The slot with the name of the cookie with which a session was begun. */
const cookieSlot = "$c";
/** The slot with the start time of a session. */
export const startSlot = "$t";

/** The slots of a session. */
interface Slots {
  get(slot: string): string | undefined;
}

/** The users of a session, and its handle. */
export interface Identity {
  readonly users: readonly string[];
  readonly handle: string;
}

/** A login that has not been written yet. */
export interface Login extends Identity {
  readonly address: string;
  readonly agent: string;
}

/** Returns the identity in a session, or `undefined` if it belongs to no user. */
export function identityIn(slots: Slots): Identity | undefined {
  const users = slots.get(usersSlot);
  const handle = users === undefined ? undefined : slots.get(handleSlot);
  return users === undefined || handle === undefined ? undefined : { users: parsedList(users), handle };
}

/** Returns the ID of the user that a session belongs to. If it belongs to several, the last one has logged in last. */
export function userIn(slots: Slots): string | undefined {
  return identityIn(slots)?.users.at(-1);
}

/** Returns a login with a new handle. */
export function newLogin(ctx: Context, users: readonly string[]): Login {
  return { users: [...new Set(users)], handle: newHandle(), ...originOf(ctx) };
}

/** Returns the slots of a session that belongs to users. */
export function identitySlots({ users, handle }: Identity, cookie: string): [string, string][] {
  const start = String(Date.now());
  return [[usersSlot, JSON.stringify(users)], [handleSlot, handle], [startSlot, start], [cookieSlot, cookie]];
}

/** The identities of the sessions in a store. */
export class Identities {
  readonly rows: UserRows;
  readonly #settings: Settings;
  readonly #guard: StoreGuard;
  readonly #endings: Endings;

  constructor(settings: Settings, guard: StoreGuard) {
    this.rows = new UserRows(settings.Store, guard, settings.Cookie);
    this.#settings = settings;
    this.#guard = guard;
    this.#endings = endingsOf(settings.Store, guard);
  }

  /** Checks a loaded session. Returns `false` if it is too old or if a user that it belongs to has ended it. */
  admit(ctx: Context, id: string, stored: Stored): Awaitable<boolean> {
    const { Slots: slots } = stored;
    const end = this.#endOf(slots);
    if (end !== Infinity && !(end > Date.now())) return this.#discard(ctx, stored);
    const identity = identityIn(slots);
    if (identity === undefined) return true;
    // The store may be shared with a manager for other users, who have the same IDs. Its cookie has another name.
    const { Cookie } = this.#settings;
    return (slots.get(cookieSlot) ?? Cookie) === Cookie && this.#check(ctx, id, stored, identity);
  }

  /** Returns the load time of a session, or 0 if {@linkcode watch} does not need it. */
  loadTime(): number {
    return this.#endings.isShared ? Date.now() : 0;
  }

  /** Watches a session that was loaded at the given time. Returns a function that ends the watch. */
  watch(id: string, slots: Slots, since: number, ended: (reason: SessionEnd) => void): () => void {
    return this.#endings.watch(identityIn(slots)?.handle ?? id, { since, until: this.#endOf(slots), ended });
  }

  /** Records a login, before its session is created. */
  async join(log: Logging | undefined, id: string, lifetime: number, login: Login): Promise<void> {
    const { users, handle, address, agent } = login;
    const visit = { id, until: Date.now() + lifetime, address, agent };
    for (const user of users) await this.rows.add(log, user, handle, visit);
  }

  /** Records the end of a session. */
  async ended(log: Logging | undefined, id: string, slots: Slots, reason: SessionEnd): Promise<void> {
    const { users, handle } = identityIn(slots) ?? { users: [], handle: id };
    for (const user of users) await this.rows.remove(log, user, handle);
    await this.announce(log, [handle], reason);
  }

  /** Records the new ID of a session. */
  async renamed(ctx: Context, id: string, slots: Slots, next: string, lifetime: number): Promise<void> {
    const { users, handle } = identityIn(slots) ?? { users: [], handle: id };
    const visit = { id: next, until: Date.now() + lifetime, ...originOf(ctx) };
    for (const user of users) await this.rows.touch(ctx, user, handle, visit);
    await this.announce(ctx, [handle], "renamed");
  }

  /** Ends the streams and connections of sessions, by their handles or IDs. */
  announce(log: Logging | undefined, keys: readonly string[], reason: SessionEnd = "ended"): Awaitable<void> {
    return this.#endings.announce(log, keys, reason);
  }

  /** Ends the streams and connections of all sessions. */
  announceAll(): Awaitable<void> {
    return this.announce(undefined, [everySession]);
  }

  #endOf(slots: Slots): number {
    const { MaxLifetime } = this.#settings;
    const start = MaxLifetime === Infinity ? undefined : slots.get(startSlot);
    return start === undefined ? Infinity : Number(start) + MaxLifetime;
  }

  #check(ctx: Context, id: string, stored: Stored, { users, handle }: Identity): Awaitable<boolean> {
    const [user = "", another] = users;
    if (another !== undefined) return this.#checkAll(ctx, id, stored, users, handle);
    return andThen(this.rows.find(ctx, user, handle), (entry) => this.#decide(ctx, id, stored, user, handle, entry));
  }

  async #checkAll(
    ctx: Context,
    id: string,
    stored: Stored,
    users: readonly string[],
    handle: string,
  ): Promise<boolean> {
    for (const user of users) {
      const entry = await this.rows.find(ctx, user, handle);
      if (!await this.#decide(ctx, id, stored, user, handle, entry)) return false;
    }
    return true;
  }

  #decide(
    ctx: Context,
    id: string,
    stored: Stored,
    user: string,
    handle: string,
    entry: Entry | null,
  ): Awaitable<boolean> {
    if (entry === null) return this.#discard(ctx, stored);
    if (entry.seen > Date.now() - seenEvery) return true;
    const visit = { id, until: Date.now() + stored.Remaining, ...originOf(ctx) };
    return this.rows.touch(ctx, user, handle, visit).then(() => true);
  }

  /** Removes the row of a session that has ended. */
  #discard(ctx: Context, stored: Stored): Awaitable<boolean> {
    return andThen(this.#guard.write(ctx, () => stored.Destroy(), isBoolean), () => false);
  }
}

function originOf(ctx: Context): Pick<Entry, "address" | "agent"> {
  return { address: ctx.RemoteAddr(), agent: shortAgent(ctx.GetHeader("user-agent")) };
}
