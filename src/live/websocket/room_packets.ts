/**
 * Handles the packets about rooms: joining, leaving and presence.
 *
 * @module
 */

import { HTTPError } from "../../base/errors/errors.ts";
import { innerHub } from "../hub/hub.ts";
import type { RoomPresence } from "../hub/presence.ts";
import type { Member, PresenceChange } from "../hub/types/member.ts";
import type { Link } from "./link.ts";
import type { LiveConn } from "./live_conn.ts";
import { OnRoomJoin, OnRoomLeave, type RoomJoinHandler } from "./namespace.ts";
import { checkRoom, type RoomMember } from "./room_member.ts";
import { throwReturned } from "./wire/failure.ts";
import { assertReadable, countOf, Op, type Packet, packet, positionOf, text } from "./wire/packet.ts";

/** Handles a packet for a connection to a namespace. Returns the reply. */
export type RoomAct = (conn: LiveConn, packet: Packet, link: Link) => Promise<unknown>;

/** Joins a room. The reply contains the room's position and the value that the handler has returned. */
export async function joinRoom(conn: LiveConn, [, , , name, epoch, offset, params, last]: Packet): Promise<unknown> {
  const room = text(name);
  const rewind = countOf(last);
  const Reply = await mayJoin(conn, room, params);
  const position = await conn.join(room, { from: positionOf(epoch, offset), rewind });
  return position === undefined && Reply === undefined ? null : { ...position, Reply };
}

/** Leaves a room. */
export async function leaveRoom(conn: LiveConn, [, , , name]: Packet): Promise<unknown> {
  const room = text(name);
  const verdict = await conn.handlers?.find(OnRoomLeave)?.(conn, room, OnRoomLeave);
  throwReturned(verdict);
  if (verdict === false) throw new HTTPError(403, "Leaving this room is not allowed");
  await conn.leave(room);
  return undefined;
}

/** Lists or watches the members of a room that the client is in. */
export async function showMembers(conn: LiveConn, [, , , name, watch]: Packet, link: Link): Promise<unknown> {
  const member = conn.memberOf(text(name));
  // The members of other rooms may not be meant for the client.
  if (member === undefined) throw new HTTPError(403, "The presence of a room requires joining it");
  if (watch === 0) return member.stopWatching();
  if (link.host.settings.Presence === undefined) throw new HTTPError(501, "The server does not track presence");
  return watch === 1 ? await watchMembers(link, conn, member) : await listMembers(link, conn, member);
}

/** Calls the guard of a room and returns its reply. */
async function mayJoin(conn: LiveConn, room: string, params: unknown): Promise<unknown> {
  const guard = conn.handlers?.find(OnRoomJoin) as RoomJoinHandler | undefined;
  // A room's messages may not be meant for every client. Without a guard, only the server can add clients to a room.
  if (guard === undefined) throw new HTTPError(403, "Joining a room requires an OnRoomJoin handler");
  checkRoom(room);
  assertReadable(params);
  const reply = await guard(conn, room, params ?? undefined, OnRoomJoin);
  if (reply !== false && !(reply instanceof Error)) return reply;
  conn.forgetPosition(room);
  throwReturned(reply);
  throw new HTTPError(403, "Joining this room is not allowed");
}

/** Lists the members of a room. */
async function listMembers(link: Link, conn: LiveConn, member: RoomMember): Promise<Member[]> {
  return await presenceOf(link, conn, member).List();
}

/** Sends the members of a room and each change to a client, until it leaves the room. */
async function watchMembers(link: Link, conn: LiveConn, member: RoomMember): Promise<void> {
  if (member.unwatch !== undefined) return;
  let isFirst = true;
  let isOpen = true;
  member.unwatch = () => isOpen = false;
  try {
    const stop = await presenceOf(link, conn, member).Watch((change) => {
      if (!isOpen) return;
      link.send(changePacket(conn.Namespace, member.room, change, isFirst));
      isFirst = false;
    });
    // The client may have left the room in the meantime.
    if (isOpen) member.unwatch = stop;
    else stop();
  } catch (error) {
    member.unwatch = undefined;
    throw error;
  }
}

function presenceOf(link: Link, { Namespace }: LiveConn, { room }: RoomMember): RoomPresence {
  const { Hub: hub, Name: name } = link.host.settings;
  return innerHub(hub).presence(name, room, Namespace);
}

/** The serialized changes. All clients of a room receive the same one. */
const packets = new WeakMap<PresenceChange, string>();

function changePacket(namespace: string, room: string, change: PresenceChange, isFirst: boolean): string {
  const { Members, Joined, Left, Updated } = change;
  if (isFirst) return packet(Op.Members, namespace, room, 1, Members, [], []);
  let text = packets.get(change);
  if (text === undefined) packets.set(change, text = packet(Op.Members, namespace, room, 0, Joined, Left, Updated));
  return text;
}
