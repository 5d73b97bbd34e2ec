/**
 * The sessions of one user.
 *
 * @module
 */
import { filled } from "../../base/config/option_kinds.ts";
import { checkArgument } from "../../base/config/option_table.ts";
import type { Context } from "../../core/context/context.ts";
import type { Identities } from "./identities.ts";
import type { Entry } from "./user_rows.ts";

/** A session of a user, for a list that the user reads. It does not contain the session ID. */
export interface SessionInfo {
  /** The handle, with which {@linkcode UserSessions.End} ends the session. It gives no access to the session. */
  readonly Handle: string;
  /** The time of the login. */
  readonly Created: Date;
  /** The time of the last request, which is recorded at most once per minute. */
  readonly LastSeen: Date;
  /** The client address of the last recorded request. */
  readonly Address: string;
  /** The `User-Agent` header of the last recorded request, at most 160 characters. */
  readonly UserAgent: string;
  /** Whether the session is the one of the request that was passed to {@linkcode UserSessions.List}. */
  readonly IsCurrent: boolean;
}

/** The parts of a manager that the sessions of a user need. */
export interface UserSessionsDeps {
  readonly identities: Identities;
  /** Returns the handle of a request's session. */
  handleOf(ctx: Context): string;
  /** Removes the rows of sessions, by their IDs. */
  remove(ids: readonly string[]): Promise<void>;
}

/**
 * The sessions of one user, returned by `Of` of a session manager.
 *
 * An ended session is not valid anymore when the promise resolves, in any process that shares the store. Its WebSocket
 * connections, event streams, answers and tool sessions end as well: immediately in this process, and within five
 * seconds in others. Their clocks must not differ by more than a few seconds.
 */
export class UserSessions {
  readonly #user: string;
  readonly #deps: UserSessionsDeps;

  /**
   * Created by the method `Of` of a session manager.
   *
   * @ignore
   */
  constructor(user: string, deps: UserSessionsDeps) {
    checkArgument(user, filled(), "userID", "Of");
    this.#user = user;
    this.#deps = deps;
  }

  /**
   * Lists the sessions. A user has at most 100 sessions. A further login ends the one that was used least recently.
   *
   * @param ctx A request whose session is marked in the list.
   * @returns The sessions, the most recently used first.
   * @throws {HTTPError} With status 503 if the store fails.
   */
  async List(ctx?: Context): Promise<SessionInfo[]> {
    const current = ctx === undefined ? "" : this.#deps.handleOf(ctx);
    const entries = await this.#deps.identities.rows.list(ctx, this.#user);
    return Array.from(entries, ([handle, entry]) => ({
      Handle: handle,
      Created: new Date(entry.created),
      LastSeen: new Date(entry.seen),
      Address: entry.address,
      UserAgent: entry.agent,
      IsCurrent: handle === current,
    })).sort((one, other) => other.LastSeen.getTime() - one.LastSeen.getTime());
  }

  /**
   * Ends one session.
   *
   * @param handle The handle from the list. A handle of another user's session ends nothing.
   * @returns Whether the session existed.
   * @throws {HTTPError} With status 503 if the store fails.
   */
  async End(handle: string): Promise<boolean> {
    const entry = await this.#deps.identities.rows.remove(undefined, this.#user, handle);
    if (entry === null) return false;
    await this.#clean(new Map([[handle, entry]]));
    return true;
  }

  /**
   * Ends all sessions, for example after a password was reset.
   *
   * @returns The number of sessions.
   * @throws {HTTPError} With status 503 if the store fails.
   */
  async EndAll(): Promise<number> {
    return await this.#clean(await this.#deps.identities.rows.endAll(undefined, this.#user));
  }

  /**
   * Ends all sessions except that of a request, for example after a password was changed.
   *
   * @param ctx The request whose session remains valid.
   * @returns The number of ended sessions.
   * @throws {HTTPError} With status 503 if the store fails.
   */
  async EndOthers(ctx: Context): Promise<number> {
    return await this.#clean(await this.#deps.identities.rows.endAll(ctx, this.#user, this.#deps.handleOf(ctx)));
  }

  /** Ends the streams and connections of sessions that are not valid anymore, and removes their rows. */
  async #clean(ended: ReadonlyMap<string, Entry>): Promise<number> {
    await this.#deps.identities.announce(undefined, [...ended.keys()]);
    await this.#deps.remove(Array.from(ended.values(), ({ id }) => id));
    return ended.size;
  }
}
