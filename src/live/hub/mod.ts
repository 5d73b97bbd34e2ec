/**
 * Real-time topics over WebSocket rooms and server-sent events, on one machine or many. Clients can resume a topic
 * after a reconnection.
 *
 * @example Publish a topic over server-sent events
 * ```ts
 * import * as fw from "@fw/web";
 * import * as live from "@fw/web/live";
 *
 * const prices = live.Topic("prices", { History: 1000, For: 60_000 });
 * const app = fw.New();
 * app.Get("/prices", (ctx) => ctx.Events(prices.Events()));
 *
 * const first = await prices.Publish("price", { cents: 150 });
 * await prices.Publish("price", { cents: 160 });
 *
 * // A browser that reconnects names the last event that it has received.
 * const headers = { "last-event-id": `${first.Epoch}.${first.Offset}` };
 * const response = await app.fetch(new Request("http://localhost/prices", { headers }));
 * const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
 * await reader.read(); // the connection is open
 * const { value } = await reader.read();
 * value?.includes('data: {"cents":160}'); // → true
 * await reader.cancel();
 * ```
 *
 * @module
 */

import { Hub } from "./hub.ts";
import type { NamespaceOptions } from "./namespace_options.ts";
import type { RoomPresence } from "./presence.ts";
import type { LiveTopic, TopicOptions } from "./topic.ts";

export type { Backplane, Entry, Listener, Log, Position, Retention } from "./backplane.ts";
export type { Gap } from "./channel.ts";
export { Hub, type HubOptions, New } from "./hub.ts";
export type { NamespaceOptions } from "./namespace_options.ts";
export type { RoomPresence } from "./presence.ts";
export type { Member, PresenceChange } from "./types/member.ts";
export type { LiveTopic, TopicEventsOptions, TopicOptions } from "./topic.ts";

let shared: Hub | undefined;

/**
 * Returns the default hub. It keeps its state in the memory of one thread.
 *
 * @returns The hub.
 */
export function DefaultHub(): Hub {
  return shared ??= new Hub();
}

/**
 * Declares a topic on the default hub. An application with several processes needs its own hub. Create one with
 * {@linkcode New} and call {@linkcode Hub.Topic}.
 *
 * @param name The topic's name.
 * @param options The number of messages to store and for how long.
 * @returns The topic.
 */
export function Topic(name: string, options?: TopicOptions): LiveTopic {
  return DefaultHub().Topic(name, options);
}

/**
 * Returns the presence of a room on the default hub.
 *
 * @param room The room.
 * @param options The namespace of the room.
 * @returns The presence.
 */
export function Presence(room: string, options?: NamespaceOptions): RoomPresence {
  return DefaultHub().Presence(room, options);
}
