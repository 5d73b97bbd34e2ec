/**
 * Finds the session of a request in the store.
 *
 * @module
 */
import type { Context } from "../../core/context/context.ts";
import type { Awaitable } from "../store/store.ts";
import type { StoreGuard } from "../store/store_guard.ts";
import type { Settings } from "./config.ts";
import { readIDs } from "./cookie.ts";
import type { Identities } from "./identities.ts";
import { isStored, type Stored } from "./store.ts";

/** A stored session, and the ID sent with the request. */
export interface Found {
  readonly id: string;
  readonly stored: Stored;
}

/** Finds sessions by the cookies of requests. */
export class SessionFinder {
  readonly #settings: Settings;
  readonly #guard: StoreGuard;
  readonly #identities: Identities;

  constructor(settings: Settings, guard: StoreGuard, identities: Identities) {
    this.#settings = settings;
    this.#guard = guard;
    this.#identities = identities;
  }

  /** Finds the session of a request. Returns `null` if there is none, or if it has ended. */
  find(ctx: Context): Awaitable<Found | null> {
    const ids = readIDs(ctx, this.#settings);
    const id = ids[0];
    if (id === undefined) return null;
    return ids.length === 1 ? this.#load(ctx, id) : this.#findAmong(ctx, ids);
  }

  // One of several cookies may be outdated or planted by an attacker. This is harmless unless the store knows its ID.
  // If the store knows two of the IDs, the right one cannot be determined, so none is used.
  async #findAmong(ctx: Context, ids: readonly string[]): Promise<Found | null> {
    const found: Found[] = [];
    for (const id of ids) {
      const one = await this.#load(ctx, id);
      if (one !== null) found.push(one);
    }
    return found.length === 1 ? found[0] as Found : null;
  }

  #load(ctx: Context, id: string): Awaitable<Found | null> {
    const stored = this.#guard.read(ctx, () => this.#settings.Store.Load(id), isStored);
    return stored instanceof Promise ? stored.then((it) => this.#admit(ctx, id, it)) : this.#admit(ctx, id, stored);
  }

  #admit(ctx: Context, id: string, stored: Stored | null): Awaitable<Found | null> {
    if (stored === null) return null;
    const isAdmitted = this.#identities.admit(ctx, id, stored);
    if (isAdmitted instanceof Promise) return isAdmitted.then((it) => it ? { id, stored } : null);
    return isAdmitted ? { id, stored } : null;
  }
}
