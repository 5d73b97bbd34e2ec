/**
 * Finds the session of a request in the store.
 *
 * @module
 */

import type { Context } from "../../core/context/context.ts";
import type { Awaitable } from "../store/store.ts";
import { readIDs } from "./cookie.ts";
import type { Identities } from "./identities.ts";
import type { Session } from "./session.ts";
import { SessionState, type StateDeps } from "./state.ts";
import { isStored, type Stored } from "./store.ts";
import type { ViewFlashes } from "./view_flashes.ts";

/**
 * The sessions of a call. They belong to its outermost request, so that a mounted application shares them. `M` is the
 * class of managers.
 */
export interface RequestSessions<M> {
  /** The manager that has begun them. */
  readonly owner: M;
  /** The request that has begun them. It may have been passed on to a mounted application. */
  readonly begun: object;
  /** The sessions of another manager in the same call. */
  readonly others: RequestSessions<M> | undefined;
  /** The outermost request. */
  readonly ctx: Context;
  /** The current session. After a `Destroy`, a request can start another one. */
  state: SessionState | undefined;
  /** The sessions before the current one. */
  earlier: readonly SessionState[];
  /** The current session as seen by handlers. */
  session: Session | undefined;
  /** The current session while it is being loaded. */
  loading: Promise<SessionState> | undefined;
  /** The flash messages that were loaded for a template. */
  flashes: ViewFlashes | undefined;
  /** Whether the sessions have been written. The changes of a later session would be lost. */
  isOver: boolean;
}

/** The sessions before the current one, if there are none. */
export const noStates: readonly SessionState[] = [];

/** Returns all sessions of a request. The current one is last. */
export function statesOf({ earlier, state }: RequestSessions<unknown>): readonly SessionState[] {
  return state === undefined ? earlier : [...earlier, state];
}

/** Makes a session the current one. */
export function append(request: RequestSessions<unknown>, state: SessionState): void {
  if (request.state !== undefined) request.earlier = statesOf(request);
  request.state = state;
}

/** Finds sessions by the cookies of requests. */
export class SessionFinder {
  readonly #deps: StateDeps;
  readonly #identities: Identities;
  readonly #read: (id: string) => Awaitable<Stored | null>;

  constructor(deps: StateDeps, identities: Identities) {
    const { Store: store } = deps.settings;
    this.#deps = deps;
    this.#identities = identities;
    this.#read = (id) => store.Load(id);
  }

  /** Finds the session of a request. Returns `null` if there is none, or if it has ended. */
  find(ctx: Context): Awaitable<SessionState | null> {
    const ids = readIDs(ctx, this.#deps.settings);
    const id = ids[0];
    if (id === undefined) return null;
    return ids.length === 1 ? this.#load(ctx, id) : this.#findAmong(ctx, ids);
  }

  // One of several cookies may be outdated or planted by an attacker. This is harmless unless the store knows its ID.
  // If the store knows two of the IDs, the right one cannot be determined, so none is used.
  async #findAmong(ctx: Context, ids: readonly string[]): Promise<SessionState | null> {
    const found: SessionState[] = [];
    for (const id of ids) {
      const one = await this.#load(ctx, id);
      if (one !== null) found.push(one);
    }
    return found.length === 1 ? found[0] as SessionState : null;
  }

  #load(ctx: Context, id: string): Awaitable<SessionState | null> {
    const stored = this.#deps.guard.read(ctx, this.#read, isStored, id);
    return stored instanceof Promise ? this.#loadLater(ctx, id, stored) : this.#admit(ctx, id, stored);
  }

  async #loadLater(ctx: Context, id: string, stored: Promise<Stored | null>): Promise<SessionState | null> {
    return await this.#admit(ctx, id, await stored);
  }

  #admit(ctx: Context, id: string, stored: Stored | null): Awaitable<SessionState | null> {
    if (stored === null) return null;
    const isAdmitted = this.#identities.admit(ctx, id, stored);
    if (isAdmitted instanceof Promise) return this.#admitLater(ctx, id, stored, isAdmitted);
    return isAdmitted ? new SessionState(this.#deps, ctx, id, stored) : null;
  }

  // A function that contains a closure allocates memory for its variables in every call.
  async #admitLater(
    ctx: Context,
    id: string,
    stored: Stored,
    isAdmitted: Promise<boolean>,
  ): Promise<SessionState | null> {
    return await isAdmitted ? new SessionState(this.#deps, ctx, id, stored) : null;
  }
}
