/**
 * Rooms. The messages of a room are published in a channel of the hub, so that all processes receive them.
 *
 * @module
 */

import { HTTPError } from "../errors/errors.ts";
import { isChannelName, roomChannel } from "../live/channel_name.ts";
import type { RoomEmitter } from "./conn.ts";
import { type Destination, emitterTo } from "./emitter.ts";
import type { Settings } from "./options.ts";

const MAX_NAME = 256;

/**
 * Creates an emitter for rooms.
 *
 * @param settings The server settings, which include the hub and the retention of rooms without a topic.
 * @param namespace The namespace.
 * @param rooms The rooms.
 */
export function roomEmitter(
  settings: Pick<Settings, "Hub" | "Rooms">,
  namespace: string,
  rooms: readonly string[],
): RoomEmitter {
  const roomOf = (room: string) => roomDestination(settings, namespace, room);
  return emitterTo({ hub: settings.Hub, destinations: rooms.map(roomOf), roomOf });
}

/** Returns the channel of a room and its retention. */
export function roomDestination(
  { Rooms: rooms }: Pick<Settings, "Rooms">,
  namespace: string,
  room: string,
): Destination {
  checkRoom(room);
  return { channel: roomChannel(namespace, room), retention: rooms };
}

/** Rejects invalid room names. Clients choose them, so their length and their characters are limited. */
export function checkRoom(room: unknown): void {
  if (typeof room === "string" && room !== "" && room.length <= MAX_NAME && isChannelName(room)) return;
  throw new HTTPError(400, `A room name must have 1 to ${MAX_NAME} characters and no control characters`);
}
