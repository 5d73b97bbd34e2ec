/**
 * Sends the members of a room to its clients.
 *
 * @module
 */

import { innerHub } from "../live/hub.ts";
import type { RoomPresence } from "../live/presence.ts";
import type { Member, PresenceChange } from "../live/room_members.ts";
import type { Link, NamespacePart } from "./link.ts";
import type { RoomMember } from "./room_member.ts";
import { Op, packet } from "./wire/packet.ts";

/** Lists the members of a room. */
export async function listMembers(link: Link, part: NamespacePart, member: RoomMember): Promise<Member[]> {
  return await presenceOf(link, part, member).List();
}

/** Sends the members of a room and each change to a client, until it leaves the room. */
export async function watchMembers(link: Link, part: NamespacePart, member: RoomMember): Promise<void> {
  if (member.unwatch !== undefined) return;
  let isFirst = true;
  let isOpen = true;
  member.unwatch = () => isOpen = false;
  const stop = await presenceOf(link, part, member).Watch((change) => {
    if (!isOpen) return;
    link.send(changePacket(part.Namespace, member.room, change, isFirst));
    isFirst = false;
  });
  // The client may have left the room in the meantime.
  if (isOpen) member.unwatch = stop;
  else stop();
}

/** Stops sending changes to a client. */
export function unwatchMembers(member: RoomMember): void {
  member.unwatch?.();
  member.unwatch = undefined;
}

function presenceOf(link: Link, { Namespace }: NamespacePart, { room }: RoomMember): RoomPresence {
  const { hub, name } = link.host.settings;
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
