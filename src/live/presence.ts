/**
 * The presence of a room, which consists of its members in all processes.
 *
 * @module
 */

import { toJSON } from "../text/json.ts";
import { ownChannel, roomChannel } from "./channel_name.ts";
import { type Member, type PresenceChange, type PresenceHub, readMembers, RoomMembers } from "./room_members.ts";

/**
 * The members of a room. Each process holds a lease for its members. If the process is killed, they disappear within 15
 * seconds.
 */
export class RoomPresence {
  /** The room. */
  readonly Room: string;
  readonly #hub: PresenceHub;
  readonly #table: string;

  /**
   * Created by {@linkcode Hub.Presence}.
   *
   * @ignore
   */
  constructor(hub: PresenceHub, room: string, namespace: string) {
    this.Room = room;
    this.#hub = hub;
    this.#table = ownChannel("presence", roomChannel(namespace, room));
  }

  /**
   * Adds a member of this process. WebSocket servers with the `Presence` option call this method automatically.
   *
   * @param id The connection ID.
   * @param info The information about the member, sent as JSON.
   */
  async Add(id: string, info: unknown): Promise<void> {
    const value = toJSON({ ID: id, Info: info });
    await this.#members().add(id, value);
  }

  /**
   * Removes a member of this process.
   *
   * @param id The connection ID.
   */
  async Remove(id: string): Promise<void> {
    await this.#hub.presences.get(this.#table)?.remove(id);
  }

  /**
   * Lists the members.
   *
   * @returns The members of all processes, in no particular order.
   */
  async List(): Promise<Member[]> {
    return await readMembers(this.#hub, this.#table);
  }

  /**
   * Calls a function immediately and whenever the members change.
   *
   * @param watcher The function.
   * @returns A function that stops watching.
   */
  async Watch(watcher: (change: PresenceChange) => void): Promise<() => void> {
    return await this.#members().watch(watcher);
  }

  /** Stops all watchers of the room in this process. */
  Close(): void {
    this.#hub.presences.get(this.#table)?.close();
  }

  // The hub holds the members, so that objects that only read the presence of a room can be garbage collected.
  #members(): RoomMembers {
    const { presences } = this.#hub;
    let members = presences.get(this.#table);
    if (members === undefined) presences.set(this.#table, members = new RoomMembers(this.#hub, this.Room, this.#table));
    return members;
  }
}
