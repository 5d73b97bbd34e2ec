/**
 * A connection's membership in one namespace, including its rooms.
 *
 * @module
 */

import type { Context } from "../context/context.ts";
import type { User } from "../context/user.ts";
import { FrameworkError, HTTPError } from "../errors/errors.ts";
import type { Position } from "../live/backplane.ts";
import { innerHub } from "../live/hub.ts";
import type { Session } from "../sessions/session.ts";
import type { Conn, RoomEmitter } from "./conn.ts";
import type { Link, NamespacePart } from "./link.ts";
import { type Handlers, OnRoomJoined, OnRoomLeft } from "./namespace.ts";
import { LONGEST_MS } from "./options.ts";
import { channelName, checkRoom, roomEmitter } from "./room.ts";
import { RoomMember } from "./room_member.ts";

const none: RoomMember[] = [];

/** A connection to one namespace. */
export class LiveConn implements Conn, NamespacePart {
  readonly Namespace: string;
  readonly #link: Link;
  /** The memberships. Most connections have one, and a map would use three times the memory. */
  #rooms: RoomMember[] = none;
  #handlers: Handlers | undefined = undefined;

  constructor(link: Link, namespace: string) {
    this.#link = link;
    this.Namespace = namespace;
  }

  get ID(): string {
    return this.#link.id;
  }

  get IsClosed(): boolean {
    return this.#link.isEnded;
  }

  /** Returns the event handlers of this connection. */
  get handlers(): Handlers | undefined {
    return this.#handlers;
  }

  serve(handlers: Handlers): void {
    this.#handlers = handlers;
  }

  Emit(event: string, data?: unknown): void {
    const link = this.#link;
    link.sendLatest(link.codec.event(0, this.Namespace, event, data), event);
  }

  Ask(event: string, data?: unknown, timeout?: number): Promise<unknown> {
    const most = Math.min(timeout ?? this.#link.host.settings.askTimeout, LONGEST_MS);
    return this.#link.ask(this.Namespace, event, data, most);
  }

  Send(data: string | Uint8Array<ArrayBuffer>): void {
    this.#link.sendNative(data);
  }

  async Join(room: string): Promise<void> {
    const position = this.#link.positions?.get(`${this.Namespace}\n${room}`);
    const joined = await this.join(room, position && { Epoch: position[0], Offset: position[1] });
    if (joined !== undefined) this.#link.send(this.#link.codec.moved(this.Namespace, room, joined));
  }

  async Leave(room: string): Promise<void> {
    if (await this.leave(room)) this.#link.send(this.#link.codec.moved(this.Namespace, room, undefined));
  }

  Rooms(): string[] {
    return this.#rooms.map(({ room }) => room);
  }

  To(room: string): RoomEmitter {
    return roomEmitter(this.#link.host.settings, this.Namespace, room);
  }

  Context(): Context {
    return this.#link.ctx;
  }

  User(): User | undefined {
    return this.#link.user;
  }

  Session(): Session | null {
    return this.#link.host.settings.sessions?.Get(this.#link.ctx) ?? null;
  }

  Close(code = 1000, reason = ""): void {
    if (code !== 1000 && !(code >= 3000 && code <= 4999)) {
      throw new FrameworkError("FW_LIVE", `Cannot close a connection with code "${code}": use 1000 or 3000 to 4999`);
    }
    this.#link.close(code, reason);
  }

  /**
   * Joins a room.
   *
   * @param room The room.
   * @param from The client's last position. If omitted, the client receives only new messages.
   * @returns The position from which the client follows the room, or `undefined` if it is already in the room.
   */
  async join(room: string, from?: Position): Promise<Position | undefined> {
    checkRoom(room);
    if (this.#find(room) !== undefined || this.IsClosed) return undefined;
    const { hub, rooms, presence } = this.#link.host.settings;
    const inner = innerHub(hub);
    const name = channelName(this.Namespace, room);
    const isStored = inner.retention(name, rooms).History > 0;
    const channel = inner.channel(name);
    const member = new RoomMember(this.#link, channel, { namespace: this.Namespace, room, isStored });
    this.#rooms = [...this.#rooms, member];
    try {
      // The position is read before the missed messages are sent, so that the client has received everything up to that
      // position.
      if (isStored && from !== undefined && from.Epoch !== "") await channel.resume(member, from);
      else await channel.add(member);
    } catch (error) {
      this.#remove(member);
      inner.leave(channel, member);
      throw new HTTPError(503, "The room cannot be reached", { cause: error });
    }
    if (this.IsClosed) {
      this.#drop(member);
      return undefined;
    }
    if (presence !== undefined) await hub.Presence(name).Add(this.ID, presence(this));
    await this.handlers?.find(OnRoomJoined)?.(this, room, OnRoomJoined);
    return isStored ? channel.position : { Epoch: "", Offset: 0 };
  }

  /** Leaves a room. Reports whether the connection was in the room. */
  async leave(room: string): Promise<boolean> {
    const member = this.#find(room);
    if (member === undefined) return false;
    this.#remove(member);
    this.#drop(member);
    await this.handlers?.find(OnRoomLeft)?.(this, room, OnRoomLeft);
    return true;
  }

  /** Leaves all rooms after the connection has ended, and returns their names. */
  leaveAll(): string[] {
    const names = this.Rooms();
    for (const member of this.#rooms) this.#drop(member);
    this.#rooms = none;
    return names;
  }

  #find(room: string): RoomMember | undefined {
    return this.#rooms.find((member) => member.room === room);
  }

  #remove(member: RoomMember): void {
    this.#rooms = this.#rooms.filter((each) => each !== member);
  }

  #drop(member: RoomMember): void {
    const { hub, presence } = this.#link.host.settings;
    innerHub(hub).leave(member.channel, member);
    if (presence === undefined) return;
    hub.Presence(channelName(this.Namespace, member.room)).Remove(this.ID).catch((error) =>
      innerHub(hub).report(`Cannot remove a member of "${member.room}":`, error)
    );
  }
}
