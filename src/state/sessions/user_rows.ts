/**
 * The sessions of each user, as rows of the session store.
 *
 * A user's row contains a slot for each session and the current generation. A session is valid only if its slot has the
 * same generation, so one write ends all sessions of a user, including those that are being created at the same time.
 * The row is found by the user's ID, so no store has to be searched.
 *
 * @module
 */
import { createHash, randomBytes } from "node:crypto";
import { FrameworkError } from "../../base/errors/errors.ts";
import { isBoolean } from "../store/store_results.ts";
import { andThen, type Awaitable } from "../store/store.ts";
import type { Logging, StoreGuard } from "../store/store_guard.ts";
import { type Changes, isStored, type Store, type Stored } from "./store.ts";

/** The slot of the generation. */
const generationSlot = "g";
/** The prefix of the slots of sessions. */
const sessionSlots = "s";
/** The lifetime of a row without changes, in milliseconds. Every use of a session extends it. */
const rowLifetime = 400 * 86_400_000;
/** The interval at which the last use of a session is recorded, in milliseconds. */
export const seenEvery = 60_000;
/** The maximum number of sessions per user. A further login ends the session that was used least recently. */
const mostSessions = 100;
/** The maximum number of characters of a user agent. */
const longestAgent = 160;
/** The maximum number of attempts for a change that conflicts with other changes. */
const attempts = 20;

/** A session in the row of its user. */
export interface Entry {
  readonly generation: string;
  /** The session ID. It may be outdated. */
  readonly id: string;
  readonly created: number;
  readonly seen: number;
  /** The time when the session expires, as far as it was known when the session was last used. */
  readonly until: number;
  readonly address: string;
  readonly agent: string;
}

/** The part of an entry that a request determines. */
export type Visit = Pick<Entry, "id" | "until" | "address" | "agent">;

/** The rows of the users of a store. */
export class UserRows {
  readonly #store: Store;
  readonly #guard: StoreGuard;
  readonly #cookie: string;

  /**
   * Creates the rows.
   *
   * @param store The store.
   * @param guard The guard of the store.
   * @param cookie The cookie of the sessions. A manager with another cookie has other users, who may have the same IDs.
   */
  constructor(store: Store, guard: StoreGuard, cookie: string) {
    this.#store = store;
    this.#guard = guard;
    this.#cookie = cookie;
  }

  /** Finds a session. Returns `null` if it has ended. */
  find(log: Logging | undefined, user: string, handle: string): Awaitable<Entry | null> {
    return andThen(this.#load(log, user), (row) => row === null ? null : validEntry(row.Slots, handle));
  }

  /** Returns the valid sessions of a user, by their handles. */
  async list(log: Logging | undefined, user: string): Promise<Map<string, Entry>> {
    return entriesOf(await this.#load(log, user));
  }

  /** Adds a session. */
  async add(log: Logging | undefined, user: string, handle: string, visit: Visit): Promise<void> {
    const now = Date.now();
    await this.#change(user, async () => {
      const row = await this.#load(log, user);
      const generation = row?.Slots.get(generationSlot) ?? newGeneration();
      const slot = [sessionSlots + handle, textOf({ ...visit, generation, created: now, seen: now })] as const;
      if (row !== null) return await this.#commit(log, row, [slot], surplusOf(row));
      const slots = new Map([[generationSlot, generation], slot]);
      return await this.#guard.write(log, () => this.#store.Create(this.#rowID(user), slots, rowLifetime), isBoolean);
    });
  }

  /** Records that a session was used. If it has ended in the meantime, nothing is changed. */
  async touch(log: Logging | undefined, user: string, handle: string, visit: Visit): Promise<void> {
    const row = await this.#load(log, user);
    const entry = row === null ? null : validEntry(row.Slots, handle);
    if (row === null || entry === null) return;
    await this.#commit(log, row, [[sessionSlots + handle, textOf({ ...entry, ...visit, seen: Date.now() })]], []);
  }

  /** Removes a session. Returns it if it was valid. */
  async remove(log: Logging | undefined, user: string, handle: string): Promise<Entry | null> {
    const row = await this.#load(log, user);
    const entry = row === null ? null : validEntry(row.Slots, handle);
    if (row === null || entry === null) return null;
    return await this.#commit(log, row, [], [sessionSlots + handle]) ? entry : null;
  }

  /**
   * Starts a new generation.
   *
   * @param keep The handle of the session that remains valid, if any.
   * @returns The sessions that have ended, by their handles.
   */
  async endAll(log: Logging | undefined, user: string, keep = ""): Promise<Map<string, Entry>> {
    let ended = new Map<string, Entry>();
    await this.#change(user, async () => {
      const row = await this.#load(log, user);
      if (row === null) return true;
      ended = entriesOf(row);
      const kept = ended.get(keep);
      ended.delete(keep);
      const generation = newGeneration();
      const slots: [string, string][] = [[generationSlot, generation]];
      if (kept !== undefined) slots.push([sessionSlots + keep, textOf({ ...kept, generation })]);
      const others = [...row.Slots.keys()].filter((slot) => !slots.some(([name]) => name === slot));
      return await this.#commit(log, row, slots, others);
    });
    return ended;
  }

  #load(log: Logging | undefined, user: string): Awaitable<Stored | null> {
    return this.#guard.read(log, () => this.#store.Load(this.#rowID(user)), isStored);
  }

  #commit(
    log: Logging | undefined,
    row: Stored,
    set: Iterable<readonly [string, string]>,
    deleted: readonly string[],
  ): Awaitable<boolean> {
    const changes: Changes = {
      Set: new Map(set),
      Add: new Map(),
      Delete: new Set(deleted),
      Lifetime: rowLifetime,
    };
    return this.#guard.write(log, () => row.Commit(changes), isBoolean);
  }

  /** Returns the ID of a user's row. Clients cannot send it, because session IDs contain no colons. */
  #rowID(user: string): string {
    return `user:${createHash("sha256").update(`${this.#cookie}=${user}`).digest("base64url")}`;
  }

  async #change(user: string, attempt: () => Promise<boolean>): Promise<void> {
    for (let count = 0; count < attempts; count++) if (await attempt()) return;
    throw new FrameworkError(
      "FW_SESSION",
      `Cannot change the sessions of the user "${user}": "${attempts}" attempts conflicted with other changes`,
    );
  }
}

function newGeneration(): string {
  return randomBytes(9).toString("base64url");
}

/** Returns a new handle, which identifies a session without giving access to it. */
export function newHandle(): string {
  return randomBytes(16).toString("base64url");
}

/** Returns the part of a user agent that is stored. Its size is limited, because a row contains many of them. */
export function shortAgent(agent: string): string {
  return agent.slice(0, longestAgent).replace(/[^ -~]/g, "?");
}

function entriesOf(row: Stored | null): Map<string, Entry> {
  const entries = new Map<string, Entry>();
  for (const slot of row?.Slots.keys() ?? []) {
    const handle = slot.slice(sessionSlots.length);
    const entry = slot.startsWith(sessionSlots) && row !== null ? validEntry(row.Slots, handle) : null;
    // An entry is only as recent as the last recorded use.
    if (entry !== null && entry.until > Date.now() - seenEvery) entries.set(handle, entry);
  }
  return entries;
}

function validEntry(slots: ReadonlyMap<string, string>, handle: string): Entry | null {
  const text = slots.get(sessionSlots + handle);
  if (text === undefined) return null;
  const [generation, id, created, seen, until, address, agent] = parsedList(text);
  if (generation === undefined || generation !== slots.get(generationSlot)) return null;
  return { generation, id, created, seen, until, address, agent };
}

/** Parses a JSON array. Damaged text results in an empty array, so that the login is not valid. */
// deno-lint-ignore no-explicit-any -- as returned by JSON.parse
export function parsedList(text: string): any[] {
  try {
    const list: unknown = JSON.parse(text);
    return Array.isArray(list) ? list : [];
  } catch {
    return [];
  }
}

function textOf({ generation, id, created, seen, until, address, agent }: Entry): string {
  return JSON.stringify([generation, id, created, seen, until, address, agent]);
}

/** Returns the slots to remove before another session is added: those of sessions that have ended, and the oldest. */
function surplusOf(row: Stored): string[] {
  const valid = entriesOf(row);
  const byUse = [...valid].reverse().sort(([, one], [, other]) => other.seen - one.seen);
  const kept = new Set(byUse.slice(0, mostSessions - 1).map(([handle]) => sessionSlots + handle));
  return [...row.Slots.keys()].filter((slot) => slot !== generationSlot && !kept.has(slot));
}
