/**
 * The presence of a room, which consists of its members in all processes.
 *
 * @module
 */

import type { Awaitable } from "../store/awaitable.ts";
import { toJSON } from "../text/json.ts";
import type { Backplane, Entry, Position } from "./backplane.ts";
import type { Channel, Sink } from "./channel.ts";

/** A member of a room. */
export interface Member {
  /** The connection ID. */
  readonly ID: string;
  /** The application's information about the member, for example an ID and a name. */
  readonly Info: unknown;
}

/** A change in a room's members. */
export interface PresenceChange {
  /** All members. */
  readonly Members: readonly Member[];
  /** The members that joined. */
  readonly Joined: readonly Member[];
  /** The members that left. */
  readonly Left: readonly Member[];
}

/** The part of the hub that presence needs. */
export interface PresenceHub {
  readonly backplane: Backplane;
  readonly node: string;
  publish(name: string, payload: string): Awaitable<Position>;
  channel(name: string): Channel;
  leave(channel: Channel, sink: Sink): void;
  hold(): Awaitable<void>;
  report(message: string, error: unknown): void;
}

/**
 * The members of a room. Each process holds a lease for its members. If the process is killed, they disappear within 15
 * seconds.
 */
export class RoomPresence {
  /** The room. */
  readonly Room: string;
  readonly #hub: PresenceHub;
  readonly #forget: () => void;
  readonly #table: string;
  readonly #own = new Map<string, string>();
  readonly #watchers = new Set<(change: PresenceChange) => void>();
  #channel: Channel | undefined = undefined;
  #seen = new Map<string, Member>();
  #isReading = false;
  #isDue = false;

  /**
   * Created by {@linkcode Hub.Presence}.
   *
   * @ignore
   */
  constructor(hub: PresenceHub, room: string, forget: () => void) {
    this.Room = room;
    this.#hub = hub;
    this.#forget = forget;
    this.#table = `presence:${room}`;
  }

  /** Reports whether the presence is being watched. */
  get isOpen(): boolean {
    return this.#channel !== undefined;
  }

  /**
   * Adds a member of this process. WebSocket servers with the `Presence` option call this method automatically.
   *
   * @param id The connection ID.
   * @param info The information about the member, sent as JSON.
   */
  async Add(id: string, info: unknown): Promise<void> {
    const value = toJSON({ ID: id, Info: info });
    this.#own.set(id, value);
    await this.#hub.hold();
    await this.#hub.backplane.Put(this.#table, this.#hub.node, id, value);
    await this.#hub.publish(this.#table, '"changed",null');
  }

  /**
   * Removes a member of this process.
   *
   * @param id The connection ID.
   */
  async Remove(id: string): Promise<void> {
    if (!this.#own.delete(id)) return;
    if (this.#own.size === 0 && this.#watchers.size === 0) this.#forget();
    await this.#hub.backplane.Put(this.#table, this.#hub.node, id, null);
    await this.#hub.publish(this.#table, '"changed",null');
  }

  /**
   * Lists the members.
   *
   * @returns The members of all processes, in no particular order.
   */
  async List(): Promise<Member[]> {
    const rows = await this.#hub.backplane.Rows(this.#table);
    return Array.from(rows.values(), (row) => JSON.parse(row));
  }

  /**
   * Calls a function immediately and whenever the members change.
   *
   * @param watcher The function.
   * @returns A function that stops watching.
   */
  async Watch(watcher: (change: PresenceChange) => void): Promise<() => void> {
    this.#watchers.add(watcher);
    if (this.#channel === undefined) {
      this.#channel = this.#hub.channel(this.#table);
      await this.#channel.add(this);
      // The lease timer also detects processes that have died.
      await this.#hub.hold();
    }
    await this.#read();
    return () => {
      this.#watchers.delete(watcher);
      if (this.#watchers.size === 0) this.Close();
    };
  }

  /** Stops all watchers. */
  Close(): void {
    this.#watchers.clear();
    const channel = this.#channel;
    this.#channel = undefined;
    this.#seen = new Map();
    if (channel !== undefined) this.#hub.leave(channel, this);
    if (this.#own.size === 0) this.#forget();
  }

  /** Stores this process's members again, in case the backplane has lost them, and checks for changes. */
  refresh(): void {
    const { backplane, node } = this.#hub;
    Promise.all(Array.from(this.#own, ([id, value]) => backplane.Put(this.#table, node, id, value)))
      .catch((error) => this.#hub.report(`Cannot renew the presence of "${this.Room}" yet:`, error));
    if (this.isOpen) void this.#read();
  }

  /**
   * Called when the members have changed in any process.
   *
   * @ignore
   */
  deliver(_channel: Channel, _entry: Entry): void {
    void this.#read();
  }

  /**
   * Called when notifications may have been lost.
   *
   * @ignore
   */
  skip(): void {
    void this.#read();
  }

  async #read(): Promise<void> {
    this.#isDue = true;
    if (this.#isReading) return;
    this.#isReading = true;
    try {
      while (this.#isDue && this.#watchers.size > 0) {
        this.#isDue = false;
        this.#tell(await this.List());
      }
    } catch (error) {
      this.#hub.report(`Cannot read the presence of "${this.Room}" yet:`, error);
    } finally {
      this.#isReading = false;
    }
  }

  #tell(members: readonly Member[]): void {
    const now = new Map(members.map((member) => [member.ID, member]));
    const Joined = members.filter(({ ID }) => !this.#seen.has(ID));
    const Left = [...this.#seen.values()].filter(({ ID }) => !now.has(ID));
    this.#seen = now;
    if (Joined.length === 0 && Left.length === 0) return;
    for (const watcher of this.#watchers) watcher({ Members: members, Joined, Left });
  }
}
