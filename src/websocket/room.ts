/**
 * Rooms. The messages of a room are published in a channel of the hub, so that all processes receive them.
 *
 * @module
 */

import { HTTPError } from "../errors/errors.ts";
import { isChannelName, roomChannel } from "../live/channel_name.ts";
import type { RoomEmitter } from "./conn.ts";
import { emitterTo } from "./emitter.ts";
import type { Settings } from "./options.ts";

const MAX_NAME = 256;

/**
 * Creates an emitter for a room.
 *
 * @param settings The server settings, which include the hub and the retention of rooms without a topic.
 * @param namespace The namespace.
 * @param room The room.
 */
export function roomEmitter(
  { hub, rooms }: Pick<Settings, "hub" | "rooms">,
  namespace: string,
  room: string,
): RoomEmitter {
  checkRoom(room);
  return emitterTo({ hub, channel: roomChannel(namespace, room), retention: rooms });
}

/** Rejects invalid room names. Clients choose them, so their length and their characters are limited. */
export function checkRoom(room: unknown): void {
  if (typeof room === "string" && room !== "" && room.length <= MAX_NAME && isChannelName(room)) return;
  throw new HTTPError(400, `A room name must have 1 to ${MAX_NAME} characters and no control characters`);
}
