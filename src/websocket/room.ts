/**
 * Rooms. The messages of a room are published in a channel of the hub, so that all processes receive them.
 *
 * @module
 */

import { HTTPError } from "../errors/errors.ts";
import { payloadOf } from "../live/payload.ts";
import type { Awaitable } from "../store/awaitable.ts";
import type { Settings } from "./options.ts";
import { publish } from "../live/publish.ts";

const MAX_NAME = 256;

/** Returns the channel name of a room. A topic with the same name uses the same channel. */
export function channelName(namespace: string, room: string): string {
  return namespace === "" ? room : `${namespace}/${room}`;
}

/**
 * Sends an event to a room.
 *
 * @param settings The server settings, which include the hub and the retention of rooms without a topic.
 * @param channel The channel name of the room.
 * @param event The event name.
 * @param data The data, sent as JSON.
 */
export function emitToRoom(
  { hub, rooms }: Pick<Settings, "hub" | "rooms">,
  channel: string,
  event: string,
  data: unknown,
): Awaitable<void> {
  return publish(hub, channel, payloadOf(event, data), rooms);
}

/** Rejects invalid room names. Clients choose them, so their length is limited. */
export function checkRoom(room: unknown): void {
  if (typeof room === "string" && room !== "" && room.length <= MAX_NAME) return;
  throw new HTTPError(400, `A room name must have 1 to ${MAX_NAME} characters`);
}
