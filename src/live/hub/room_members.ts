/**
 * The members that this process has added to a room, and the functions that watch the room.
 *
 * @module
 */

import { notify } from "../../base/async/callback.ts";
import { HTTPError } from "../../base/errors/errors.ts";
import { encodeSent } from "../../base/codec/sent.ts";
import { toJSON } from "../../base/text/json.ts";
import { parseLossless } from "../../base/text/lossless_json.ts";
import type { Backplane, Position } from "./backplane.ts";
import { Subscription, type SubscriptionHub } from "./subscription.ts";
import type { Member, PresenceChange } from "./types/member.ts";
import { available } from "./unavailable.ts";

/** The part of the hub that presence needs. */
export interface PresenceHub extends SubscriptionHub {
  readonly backplane: Backplane;
  readonly node: string;
  /** The rooms with members of this process, and the watched rooms. */
  readonly presences: Map<string, RoomMembers>;
  publish(name: string, payload: string): Promise<Position>;
  hold(): Promise<void>;
  /** Returns a promise of the presence. The hub is closed only after the promise has settled. */
  track<T>(work: Promise<T>): Promise<T>;
  /** Stops renewing the lease if there are no rooms with members or watchers. */
  releaseIfUnused(): void;
}

/** The members of a room to read or to add. */
export interface MemberTable {
  readonly room: string;
  /** The name of the table, which all servers on the hub share. */
  readonly name: string;
  /** The server whose members are read. If omitted, those of all servers are. */
  readonly server: string | undefined;
}

/** A stored member. */
interface Row extends Member {
  /** The server that has added the member. If omitted, the application has. */
  readonly Server?: string;
}

/** A member that watchers know. */
interface Seen {
  readonly member: Member;
  /** The member's information, as JSON. */
  readonly info: string;
}

/**
 * Serializes a member.
 *
 * @throws {FrameworkError} If a part of its information cannot be sent.
 */
export function rowOf({ ID, Info }: Member, { room, server }: MemberTable): string {
  const entrance = { act: `add a member to the room "${room}"`, root: "Info", code: "FW_LIVE" } as const;
  const info = Info === undefined ? "" : `,"Info":${encodeSent(Info, entrance)}`;
  return `{"ID":${JSON.stringify(ID)}${info}${server === undefined ? "" : `,"Server":${JSON.stringify(server)}`}}`;
}

/** Reads the members of a room in all processes. */
export async function readMembers(hub: PresenceHub, { name, server }: MemberTable): Promise<Member[]> {
  const rows = await available(() => hub.backplane.Rows(name), "The presence cannot be read", (cause) => {
    hub.report("Cannot read the presence of a room:", cause);
  });
  return Array.from(rows.values(), (row) => parseLossless(row) as Row)
    .filter(({ Server = server }) => server === undefined || Server === server)
    .map(({ ID, Info }) => ({ ID, Info }));
}

/** The members and watchers of a room in this process. The hub forgets them when there are none. */
export class RoomMembers {
  readonly #hub: PresenceHub;
  readonly #table: MemberTable;
  readonly #own = new Map<string, string>();
  /** The watchers, and whether they have been called. Their first call reports all members. */
  readonly #watchers = new Map<(change: PresenceChange) => void, boolean>();
  #subscription: Subscription | undefined = undefined;
  #seen = new Map<string, Seen>();
  #reading: Promise<void> | undefined = undefined;
  #isDue = false;

  constructor(hub: PresenceHub, table: MemberTable) {
    this.#hub = hub;
    this.#table = table;
  }

  /** Reports whether the presence is being watched. */
  get isOpen(): boolean {
    return this.#subscription !== undefined;
  }

  async add(id: string, value: string): Promise<void> {
    this.#own.set(id, value);
    const { room } = this.#table;
    await available(
      async () => {
        await this.#hub.hold();
        await this.#store(id);
      },
      "The presence cannot be stored",
      (cause) => this.#hub.report(`Cannot store a member of "${room}":`, cause),
    );
    await this.#publishChange();
  }

  async remove(id: string): Promise<void> {
    if (!this.#own.delete(id)) return;
    this.#forgetIfUnused();
    await this.#hub.backplane.Put(this.#table.name, this.#hub.node, id, null);
    await this.#publishChange();
  }

  async watch(watcher: (change: PresenceChange) => void): Promise<() => void> {
    this.#watchers.set(watcher, false);
    if (this.#subscription === undefined) {
      const read = () => void this.#read();
      // The subscription and the lease timer, which also detects processes that have died, try again on their own if
      // the backplane is not available. An application must be able to start before Redis does.
      this.#subscription = new Subscription(this.#hub, this.#table.name, { receive: read, missed: read });
      await this.#subscription.attempted();
      await this.#hold();
    }
    await this.#read();
    return () => this.#unwatch(watcher);
  }

  /** Stops all watchers. */
  close(): void {
    this.#watchers.clear();
    this.#subscription?.stop();
    this.#subscription = undefined;
    this.#seen = new Map();
    this.#forgetIfUnused();
  }

  /** Stores this process's members again, in case the backplane has lost them, and checks for changes. */
  async refresh(): Promise<void> {
    if (this.isOpen) void this.#read();
    try {
      await Promise.all(Array.from(this.#own.keys(), (id) => this.#store(id)));
    } catch (error) {
      this.#hub.report(`Cannot renew the presence of "${this.#table.room}" yet:`, error);
    }
  }

  /** Stops all watchers and removes the members of this process, because the hub is closed. */
  async end(): Promise<void> {
    const { backplane, node } = this.#hub;
    const ids = [...this.#own.keys()];
    this.#own.clear();
    this.close();
    if (ids.length === 0) return;
    try {
      await Promise.all(ids.map((id) => backplane.Put(this.#table.name, node, id, null)));
      await this.#publishChange();
    } catch (error) {
      // The members disappear when the lease ends.
      if (error instanceof HTTPError) return;
      this.#hub.report(`Cannot remove the members of "${this.#table.room}":`, error);
    }
  }

  async #hold(): Promise<void> {
    try {
      await this.#hub.hold();
    } catch (error) {
      this.#hub.report(`Cannot watch the presence of "${this.#table.room}" yet:`, error);
    }
  }

  /**
   * Stores a member. If it is removed while it is being stored, its row is removed again. Otherwise, the row would stay
   * for the lifetime of the process.
   */
  async #store(id: string): Promise<void> {
    const { backplane, node } = this.#hub;
    const value = this.#own.get(id);
    if (value === undefined) return;
    await backplane.Put(this.#table.name, node, id, value);
    if (!this.#own.has(id)) await backplane.Put(this.#table.name, node, id, null);
  }

  async #publishChange(): Promise<void> {
    await this.#hub.publish(this.#table.name, '"changed",null');
  }

  #unwatch(watcher: (change: PresenceChange) => void): void {
    this.#watchers.delete(watcher);
    if (this.#watchers.size === 0) this.close();
  }

  #forgetIfUnused(): void {
    if (this.#own.size > 0 || this.#watchers.size > 0) return;
    this.#hub.presences.delete(keyOf(this.#table));
    this.#hub.releaseIfUnused();
  }

  /** Reads the members until there are no further changes. */
  #read(): Promise<void> {
    this.#isDue = true;
    return this.#reading ??= this.#hub.track(this.#readAll());
  }

  async #readAll(): Promise<void> {
    try {
      while (this.#isDue && this.#watchers.size > 0) {
        this.#isDue = false;
        this.#notifyWatchers(await readMembers(this.#hub, this.#table));
      }
    } catch (error) {
      if (!(error instanceof HTTPError)) this.#hub.report(`Cannot read the presence of "${this.#table.room}":`, error);
    } finally {
      this.#reading = undefined;
    }
  }

  #notifyWatchers(members: readonly Member[]): void {
    const before = this.#seen;
    const now = new Map(members.map((member) => [member.ID, { member, info: toJSON(member.Info ?? null) }]));
    const Joined = members.filter(({ ID }) => !before.has(ID));
    const Left = [...before.values()].map(({ member }) => member).filter(({ ID }) => !now.has(ID));
    const Updated = members.filter(({ ID }) => before.has(ID) && before.get(ID)?.info !== now.get(ID)?.info);
    this.#seen = now;
    const change = { Members: members, Joined, Left, Updated };
    const isChanged = Joined.length + Left.length + Updated.length > 0;
    for (const [watcher, isCalled] of this.#watchers) {
      if (isCalled && isChanged) this.#call(watcher, change);
      if (isCalled || members.length === 0) continue;
      this.#watchers.set(watcher, true);
      this.#call(watcher, { Members: members, Joined: members, Left: [], Updated: [] });
    }
  }

  #call(watcher: (change: PresenceChange) => void, change: PresenceChange): void {
    notify(() => watcher(change), (error) => {
      this.#hub.report(`Cannot report a change in the presence of "${this.#table.room}":`, error);
    });
  }
}

/** Returns the key of the members in a hub. A server and the application watch the same room separately. */
export function keyOf({ name, server }: MemberTable): string {
  return server === undefined ? name : `${name}\n${server}`;
}
