/**
 * The rooms of the `fw.live.1` client and their members.
 *
 * @module
 */

import type { Member } from "../../hub/types/member.ts";
import type { LiveNamespaceOptions } from "./live_options.ts";
import { LiveQueue } from "./live_queue.ts";
import type { Data, LivePresence, Room, Watched } from "./live_types.ts";

/** The rooms that the client is in. Browsers receive the source of the class, like that of `Live`. */
export abstract class LiveRooms extends LiveQueue {
  static readonly #presence = 16;
  /** The rooms by name and namespace, and the last positions in them. */
  rooms: Map<string, Room> = new Map();
  #watched: Map<string, Watched> = new Map();

  /**
   * Returns the presence of a room that the client has joined. Requires the server's option `Presence`.
   *
   * @param room The room.
   * @param options The namespace.
   * @returns The presence.
   */
  Presence(room: string, options: LiveNamespaceOptions = {}): LivePresence {
    const namespace = this.namespaceOf(options);
    return {
      List: () => this.request([LiveRooms.#presence, 0, namespace, room]),
      Watch: (watcher) => this.#watch(namespace, room, watcher),
    };
  }

  /** Sends a packet and waits for the reply. */
  abstract request(packet: unknown[]): Promise<Data>;

  /** Watches a room again after a reconnection, because the client is in the room again. */
  rewatch(namespace: string, room: string): void {
    const watched = this.#watched.get(this.nameOf(namespace, room));
    if (!watched || watched.isActive) return;
    watched.isActive = true;
    this.request([LiveRooms.#presence, 0, namespace, room, 1]).catch(() => watched.isActive = false);
  }

  /** Records the position in a room. */
  place(namespace: string, room: string, at: Data, isOwn = true): void {
    if (!at?.Epoch) return;
    const name = this.nameOf(namespace, room);
    const known = this.rooms.get(name);
    if (!known) return void this.rooms.set(name, { namespace, room, epoch: at.Epoch, offset: at.Offset, isOwn });
    known.offset = known.epoch === at.Epoch || !known.epoch ? Math.max(known.offset, at.Offset) : at.Offset;
    known.epoch = at.Epoch;
  }

  /** Removes a room that the client is no longer in. */
  forget(namespace: string, room: string): void {
    this.rooms.delete(this.nameOf(namespace, room));
    this.#watched.delete(this.nameOf(namespace, room));
  }

  /** Records that the connection has ended. */
  suspend(): void {
    for (const watched of this.#watched.values()) watched.isActive = false;
  }

  /** Receives a change. The first one on a connection has all members, of which the client may know some. */
  changed([, namespace, room, isFirst, joined, left, updated]: Data[]): void {
    const watched = this.#watched.get(this.nameOf(namespace, room));
    if (!watched) return;
    const { members } = watched;
    const text = (ID: string) => JSON.stringify(members.get(ID));
    const Left = isFirst
      ? [...members.values()].filter((each) => !joined.some(({ ID }: Member) => ID === each.ID))
      : left;
    const Joined = joined.filter(({ ID }: Member) => !members.has(ID));
    const Updated = isFirst
      ? joined.filter((each: Member) => members.has(each.ID) && JSON.stringify(each) !== text(each.ID))
      : updated;
    for (const { ID } of Left) members.delete(ID);
    for (const each of [...Joined, ...Updated]) members.set(each.ID, each);
    if (!Joined.length && !Left.length && !Updated.length) return;
    for (const watcher of watched.watchers) watcher({ Members: [...members.values()], Joined, Left, Updated });
  }

  async #watch(namespace: string, room: string, watcher: Parameters<LivePresence["Watch"]>[0]): Promise<() => void> {
    const name = this.nameOf(namespace, room);
    const watched = this.#watched.get(name) ?? { members: new Map(), watchers: new Set(), isActive: false };
    // An error of a watcher is reported like that of an event listener.
    const call: typeof watcher = (change) => {
      try {
        watcher(change);
      } catch (error) {
        reportError(error);
      }
    };
    const stop = () => {
      if (!watched.watchers.delete(call) || watched.watchers.size || this.#watched.get(name) !== watched) return;
      this.#watched.delete(name);
      this.request([LiveRooms.#presence, 0, namespace, room, 0]).catch(() => {});
    };
    this.#watched.set(name, watched);
    const Members = [...watched.members.values()];
    if (Members.length) call({ Members, Joined: Members, Left: [], Updated: [] });
    watched.watchers.add(call);
    if (watched.isActive) return stop;
    watched.isActive = true;
    try {
      await this.request([LiveRooms.#presence, 0, namespace, room, 1]);
    } catch (error) {
      watched.isActive = false;
      watched.watchers.delete(call);
      if (!watched.watchers.size) this.#watched.delete(name);
      throw error;
    }
    return stop;
  }
}
