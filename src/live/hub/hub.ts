/**
 * The hub. It manages the channels, topics and presence of one process on a backplane.
 *
 * @module
 */

import { filled, func, methods } from "../../base/config/option_kinds.ts";
import { checkArgument, checkText, optionTable, readOptions } from "../../base/config/option_table.ts";
import type { Backplane, Retention } from "./backplane.ts";
import { roomChannel } from "./channel_name.ts";
import { InnerHub } from "./inner_hub.ts";
import { newMemory } from "./memory.ts";
import { namespaceOf, type NamespaceOptions } from "./namespace_options.ts";
import type { RoomPresence } from "./presence.ts";
import { LiveTopic, type TopicOptions, topicSettings } from "./topic.ts";
import { boundedBackplane } from "./unavailable.ts";

/** Options for {@linkcode New}. */
export interface HubOptions {
  /**
   * The backplane that connects the application's threads, processes or machines. If omitted, messages stay in process
   * memory.
   */
  readonly Backplane?: Backplane;
  /** Called with background failures. If omitted, the failures are logged. */
  readonly OnError?: (message: string, error: unknown) => void;
}

/** Returns the internal side of a hub. Set in the static block of {@linkcode Hub}. */
export let innerHub: (hub: Hub) => InnerHub;

const table = optionTable<HubOptions>("live.HubOptions", "live")({
  Backplane: methods("Publish", "Read", "Listen", "Unlisten", "Close"),
  OnError: func(),
});

/**
 * Creates a hub. With a backplane, it connects the live updates of several processes or machines.
 *
 * @param options The backplane and the error handler.
 * @returns The hub. Close it when the application ends.
 */
export function New(options: HubOptions = {}): Hub {
  return new Hub(options);
}

/** The topics and rooms of an application. */
export class Hub {
  readonly #inner: InnerHub;
  readonly #topics = new Map<string, LiveTopic>();

  /**
   * Created by {@linkcode New}.
   *
   * @param options The backplane and the error handler.
   */
  constructor(options: HubOptions = {}) {
    const { Backplane = newMemory(), OnError } = readOptions(table, options);
    this.#inner = new InnerHub(boundedBackplane(Backplane), OnError);
  }

  /**
   * Declares a topic. Its messages are numbered and stored, so that clients can resume after a reconnection. A
   * WebSocket room with the same name shares the topic's messages. The hub keeps every topic, so do not pass a name
   * that a client has chosen without checking it.
   *
   * @param name The topic's name.
   * @param options The number of messages to store and for how long.
   * @returns The topic. The same name and namespace always return the same topic.
   * @throws {FrameworkError} If the name or an option is invalid, or if the topic was declared with other options.
   */
  Topic(name: string, options: TopicOptions = {}): LiveTopic {
    checkText(name, "name", "Topic");
    const settings = topicSettings(options);
    const channel = roomChannel(settings.Namespace, name);
    const known = this.#topics.get(channel);
    if (known !== undefined) return known.declaredAgain(options);
    const topic = new LiveTopic(this.#inner, name, settings);
    this.#topics.set(channel, topic);
    return topic;
  }

  /**
   * Returns the presence of a room, across all processes and all servers on this hub.
   *
   * @param room The room.
   * @param options The namespace of the room.
   * @returns The presence.
   */
  Presence(room: string, options?: NamespaceOptions): RoomPresence {
    checkArgument(room, filled(), "room", "Presence");
    return this.#inner.presence(undefined, room, namespaceOf("Presence", options));
  }

  /**
   * Removes the members of this process from the presence of all rooms, closes the backplane and stops all timers. No
   * messages can be published afterwards.
   *
   * @returns A promise that resolves when the backplane is closed.
   */
  async Close(): Promise<void> {
    await this.#inner.close();
  }

  /** Closes the hub at the end of an `await using` block. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.Close();
  }

  static {
    innerHub = (hub) => hub.#inner;
  }
}

/**
 * Publishes a message on behalf of a server.
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
