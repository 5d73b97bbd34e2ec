/**
 * The presence of a room, which consists of its members in all processes.
 *
 * @module
 */

import { checkText } from "../../base/config/option_table.ts";
import { assertFunction } from "../../base/config/returned.ts";
import { ownChannel, roomChannel } from "./channel_name.ts";
import { keyOf, type MemberTable, type PresenceHub, readMembers, RoomMembers, rowOf } from "./room_members.ts";
import type { Member, PresenceChange } from "./types/member.ts";

/**
 * The members of a room. Each process holds a lease for its members. If the process is killed, they disappear within 15
 * seconds.
 */
export class RoomPresence {
  /** The room. */
  readonly Room: string;
  readonly #hub: PresenceHub;
  readonly #table: MemberTable;

  /**
   * Created by {@linkcode Hub.Presence}.
   *
   * @ignore
   */
  constructor(hub: PresenceHub, room: string, namespace: string, server?: string) {
    this.Room = room;
    this.#hub = hub;
    this.#table = { room, name: ownChannel("presence", roomChannel(namespace, room)), server };
  }

  /**
   * Adds a member of this process, or changes its information. WebSocket servers with the `Presence` option call this
   * method automatically.
   *
   * @param id The connection ID.
   * @param info The information about the member, sent as JSON.
   */
  async Add(id: string, info: unknown): Promise<void> {
    checkText(id, "id", "Add");
    await this.#hub.track(this.#members().add(id, rowOf({ ID: id, Info: info }, this.#table)));
  }

  /**
   * Removes a member of this process.
   *
   * @param id The connection ID.
   */
  async Remove(id: string): Promise<void> {
    checkText(id, "id", "Remove");
    const members = this.#hub.presences.get(keyOf(this.#table));
    if (members !== undefined) await this.#hub.track(members.remove(id));
  }

  /**
   * Lists the members.
   *
   * @returns The members of all processes, in no particular order.
   */
  async List(): Promise<Member[]> {
    return await this.#hub.track(readMembers(this.#hub, this.#table));
  }

  /**
   * Calls a function immediately and whenever the members change.
   *
   * @param watcher The function.
   * @returns A function that stops watching.
   */
  async Watch(watcher: (change: PresenceChange) => void): Promise<() => void> {
    assertFunction(watcher, "a watcher");
    return await this.#hub.track(this.#members().watch(watcher));
  }

  /** Stops all watchers of the room in this process. */
  Close(): void {
    this.#hub.presences.get(keyOf(this.#table))?.close();
  }

  // The hub holds the members, so that objects that only read the presence of a room can be garbage collected.
  #members(): RoomMembers {
    const { presences } = this.#hub;
    const key = keyOf(this.#table);
    let members = presences.get(key);
    if (members === undefined) presences.set(key, members = new RoomMembers(this.#hub, this.#table));
    return members;
  }
}
