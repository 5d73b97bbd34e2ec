/**
 * Publishes messages on a hub on behalf of a server.
 *
 * @module
 */

import type { Retention } from "./backplane.ts";
import { type Hub, innerHub } from "./hub.ts";

/**
 * Publishes a message.
 *
 * @param hub The hub.
 * @param channel The channel name.
 * @param payload The message.
 * @param retention The retention of a channel without a topic. If omitted, nothing is stored.
 * @returns A promise that rejects if publishing fails. Handlers rarely await it, so this does not count as an unhandled
 * rejection. The hub logs the failure.
 */
export function publish(hub: Hub, channel: string, payload: string, retention?: Retention): Promise<void> {
  const done = innerHub(hub).publish(channel, payload, retention).then(() => {});
  done.catch(() => {});
  return done;
}
