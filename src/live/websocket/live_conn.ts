/**
 * A connection's membership in one namespace, including its rooms.
 *
 * @module
 */

import { count, milliseconds } from "../../base/config/option_kinds.ts";
import { optionTable, readOptions } from "../../base/config/option_table.ts";
import { FrameworkError, HTTPError } from "../../base/errors/errors.ts";
import type { Context } from "../../core/context/context.ts";
import type { User } from "../../core/context/user.ts";
import type { Session } from "../../state/sessions/session.ts";
import type { Position } from "../hub/backplane.ts";
import { roomChannel } from "../hub/channel_name.ts";
import { innerHub } from "../hub/hub.ts";
import type { AskOptions, Conn, ConnServer, JoinRoomOptions, RoomEmitter } from "./conn.ts";
import type { Link, NamespacePart } from "./link.ts";
import { type Handlers, OnRoomJoined, OnRoomLeft } from "./namespace.ts";
import { LONGEST_MS } from "./options.ts";
import { checkRoom, roomEmitter, RoomMember } from "./room_member.ts";

/** The maximum size of a close reason, in bytes. */
const MAX_REASON = 123;
/** The maximum number of messages to defer until a client has been accepted. */
const MAX_DEFERRED = 1_000;
const none: RoomMember[] = [];
const joinTable = optionTable<JoinRoomOptions>("websocket.JoinRoomOptions", "Join")({
  Rewind: count(0, { from: 0, to: Infinity }),
});
const askTable = optionTable<AskOptions>("websocket.AskOptions", "Ask")({
  Timeout: milliseconds(undefined, { to: Infinity }),
});

/** The messages that a client first receives in a room. */
export interface Start {
  /** The client's last position. */
  readonly from?: Position | undefined;
  /** The number of stored messages, if the client has no position. */
  readonly rewind?: number | undefined;
}

/** A connection to one namespace. */
export class LiveConn implements Conn, NamespacePart {
  readonly Namespace: string;
  readonly #link: Link;
  /** The memberships. Most connections have one, and a map would use three times the memory. */
  #rooms: RoomMember[] = none;
  #handlers: Handlers | undefined = undefined;
  /** Whether the client has left the namespace. Later joins would never be undone. */
  #hasLeft = false;
  /** The messages of rooms, until the client has been accepted. */
  #deferred: (() => void)[] | undefined = [];

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
    link.sendLatest(link.codec.event(0, this.Namespace, event, data), this.Namespace, event);
  }

  Ask(event: string, ...[data, options = {}]: [data?: unknown, options?: AskOptions]): Promise<unknown> {
    const { Timeout = this.#link.host.settings.AskTimeout } = readOptions(askTable, options);
    const most = Math.min(Timeout, LONGEST_MS);
    return this.#link.ask(this.Namespace, event, data, most);
  }

  Write(data: string | Uint8Array<ArrayBuffer>): void {
    this.#link.sendNative(data);
  }

  async Join(room: string, options: JoinRoomOptions = {}): Promise<void> {
    const { Rewind } = readOptions(joinTable, options);
    const position = this.#link.positions?.get(roomChannel(this.Namespace, room));
    const from = position && { Epoch: position[0], Offset: position[1] };
    const joined = await this.join(room, { from, rewind: Rewind });
    if (joined !== undefined) this.#moved(room, joined);
  }

  async Leave(room: string): Promise<void> {
    if (await this.leave(room)) this.#moved(room, undefined);
  }

  Rooms(): string[] {
    return this.#rooms.map(({ room }) => room);
  }

  To(...rooms: string[]): RoomEmitter {
    return roomEmitter(this.#link.host.settings, this.Namespace, rooms);
  }

  Broadcast(event: string, data?: unknown): Promise<void> {
    return this.Server().Broadcast(this, event, data, { Namespace: this.Namespace });
  }

  Server(): ConnServer {
    return this.#link.host.server;
  }

  Context(): Context {
    return this.#link.ctx;
  }

  User(): User | undefined {
    return this.#link.user;
  }

  Session(): Session | null {
    return this.#link.host.settings.Sessions?.Get(this.#link.ctx) ?? null;
  }

  Close(code = 1000, reason = ""): void {
    if (code !== 1000 && !(code >= 3000 && code <= 4999)) {
      throw new FrameworkError("FW_LIVE", `Cannot close a connection with code "${code}": use 1000 or 3000 to 4999`);
    }
    this.#link.close(code, closeReason(reason));
  }

  /**
   * Joins a room.
   *
   * @param room The room.
   * @param start The stored messages to send. If omitted, the client receives only new messages.
   * @returns The position from which the client follows the room, or `undefined` if it is already in the room.
   */
  async join(room: string, { from, rewind = 0 }: Start = {}): Promise<Position | undefined> {
    checkRoom(room);
    if (this.#find(room) !== undefined || this.IsClosed || this.#hasLeft) return undefined;
    const { Hub: hub, Name: server, Rooms: rooms, MaxRooms: maxRooms, MaxRewind: maxRewind, Presence: presence } =
      this.#link.host.settings;
    if (this.#rooms.length >= maxRooms) throw new HTTPError(429, "The connection is in too many rooms");
    const inner = innerHub(hub);
    const name = roomChannel(this.Namespace, room);
    const isStored = inner.retention(name, rooms).History > 0;
    const channel = inner.channel(name);
    const member = new RoomMember(this.#link, channel, { part: this, room, isStored });
    this.#rooms = [...this.#rooms, member];
    try {
      if (isStored && from !== undefined && from.Epoch !== "") await channel.resume(member, from);
      else if (isStored && rewind > 0) await channel.rewind(member, Math.min(rewind, maxRewind));
      else await channel.add(member);
    } catch (error) {
      this.#remove(member);
      inner.leave(channel, member);
      throw new HTTPError(503, "The room cannot be reached", { cause: error });
    }
    this.forgetPosition(room);
    // The client may have left the room in the meantime, for example because the connection has ended.
    if (!this.#has(member)) {
      inner.leave(channel, member);
      return undefined;
    }
    try {
      if (presence !== undefined) await inner.presence(server, room, this.Namespace).Add(this.ID, await presence(this));
      if (!this.#has(member)) return undefined;
      member.isJoined = true;
      await this.handlers?.find(OnRoomJoined)?.(this, room, OnRoomJoined);
    } catch (error) {
      // The client receives an error, so it must not be in the room.
      if (this.#has(member)) await this.leave(room);
      throw error;
    }
    // The client receives all messages up to the current position before the reply, because both are sent in order.
    return isStored ? channel.position : { Epoch: "", Offset: 0 };
  }

  /** Leaves a room. Reports whether the connection was in the room. */
  async leave(room: string): Promise<boolean> {
    const member = this.#find(room);
    this.forgetPosition(room);
    if (member === undefined) return false;
    this.#remove(member);
    this.#drop(member);
    if (member.isJoined) await this.handlers?.find(OnRoomLeft)?.(this, room, OnRoomLeft);
    return true;
  }

  /** Leaves all rooms for good because the client has left the namespace. Returns the names of the rooms. */
  leaveAll(): string[] {
    const names = this.#rooms.filter(({ isJoined }) => isJoined).map(({ room }) => room);
    for (const member of this.#rooms) this.#drop(member);
    this.#rooms = none;
    this.#hasLeft = true;
    if (this.#deferred !== undefined) this.#deferred = [];
    return names;
  }

  isIn(room: string): boolean {
    const channel = roomChannel(this.Namespace, room);
    return this.#find(room) !== undefined || this.#link.positions?.has(channel) === true;
  }

  /** Returns the membership in a room. It is `undefined` until the connection has joined the room. */
  memberOf(room: string): RoomMember | undefined {
    const member = this.#find(room);
    return member?.isJoined ? member : undefined;
  }

  /** Discards the position that the client has sent, because it is in the room again or may not join it. */
  forgetPosition(room: string): void {
    this.#link.positions?.delete(roomChannel(this.Namespace, room));
  }

  /** Sends the messages of the rooms that the client joined before it was accepted. */
  accept(): void {
    const deferred = this.#deferred ?? [];
    this.#deferred = undefined;
    for (const send of deferred) {
      try {
        send();
      } catch (error) {
        this.#link.host.fail(this.#link, "Cannot deliver a message:", error);
      }
    }
  }

  get isAccepted(): boolean {
    return this.#deferred === undefined;
  }

  defer(send: () => void): void {
    if (this.#hasLeft || this.#deferred === undefined) return;
    if (this.#deferred.length >= MAX_DEFERRED) this.#link.overflowed();
    else this.#deferred.push(send);
  }

  #moved(room: string, position: Position | undefined): void {
    if (!this.isAccepted) return this.defer(() => this.#moved(room, position));
    this.#link.send(this.#link.codec.moved(this.Namespace, room, position));
  }

  #has(member: RoomMember): boolean {
    return this.#rooms.includes(member);
  }

  #find(room: string): RoomMember | undefined {
    return this.#rooms.find((member) => member.room === room);
  }

  #remove(member: RoomMember): void {
    this.#rooms = this.#rooms.filter((each) => each !== member);
  }

  #drop(member: RoomMember): void {
    const { Hub: hub, Name: name, Presence: presence } = this.#link.host.settings;
    const inner = innerHub(hub);
    inner.leave(member.channel, member);
    member.stopWatching();
    if (presence === undefined) return;
    inner.presence(name, member.room, this.Namespace).Remove(this.ID).catch((error) =>
      inner.report(`Cannot remove a member of "${member.room}":`, error)
    );
  }
}

/** Shortens a close reason to the limit of the protocol. Deno ends the process if it is longer. */
function closeReason(reason: string): string {
  const { read } = new TextEncoder().encodeInto(reason, new Uint8Array(MAX_REASON));
  return reason.slice(0, read);
}
