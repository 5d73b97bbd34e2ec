/**
 * Handles the packets about rooms: joining, leaving and presence.
 *
 * @module
 */

import { HTTPError } from "../errors/errors.ts";
import type { Link } from "./link.ts";
import type { LiveConn } from "./live_conn.ts";
import { OnRoomJoin, OnRoomLeave, type RoomJoinHandler } from "./namespace.ts";
import { countOf, positionOf, text } from "./packet_fields.ts";
import { listMembers, unwatchMembers, watchMembers } from "./room_watch.ts";
import { checkRoom } from "./room.ts";
import { assertReadable } from "./wire/message_json.ts";
import type { Packet } from "./wire/packet.ts";

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
  if (await conn.handlers?.find(OnRoomLeave)?.(conn, room, OnRoomLeave) === false) {
    throw new HTTPError(403, "Leaving this room is not allowed");
  }
  await conn.leave(room);
  return undefined;
}

/** Lists or watches the members of a room that the client is in. */
export async function showMembers(conn: LiveConn, [, , , name, watch]: Packet, link: Link): Promise<unknown> {
  const member = conn.memberOf(text(name));
  // The members of other rooms may not be meant for the client.
  if (member === undefined) throw new HTTPError(403, "The presence of a room requires joining it");
  if (watch === 0) return void unwatchMembers(member);
  if (link.host.settings.presence === undefined) throw new HTTPError(501, "The server does not track presence");
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
  if (reply !== false) return reply;
  conn.forgetPosition(room);
  throw new HTTPError(403, "Joining this room is not allowed");
}
