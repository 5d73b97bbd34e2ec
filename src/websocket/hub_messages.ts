/**
 * Messages between the servers on a hub. They reach connections in all processes: all connections of a namespace, or
 * those of a user or session, which are then closed.
 *
 * @module
 */

import type { Entry } from "../live/backplane.ts";
import type { Channel, Sink } from "../live/channel.ts";
import { type Hub, innerHub } from "../live/hub.ts";
import { type Audience, payloadOf, readContent, splitPayload } from "../live/payload.ts";
import type { Awaitable } from "../store/awaitable.ts";
import type { Codec, Message } from "./wire/codec.ts";
import type { RoomEmitter } from "./conn.ts";
import { emitterTo, isIn } from "./emitter.ts";
import type { Link } from "./link.ts";
import { publish } from "../live/publish.ts";

/** The channel for closing connections. */
const CONTROL = "websocket:control";

/** The connections to close in all processes: those of a user, or those of a session. */
export type Target = "disconnect" | "session";

interface Closing {
  readonly code: number;
  readonly reason: string;
  /** Returns the ID of the user or session. */
  idOf(link: Link): string | undefined;
}

const closings: Readonly<Record<Target, Closing>> = {
  disconnect: { code: 4403, reason: "Disconnected", idOf: ({ user }) => user?.ID },
  session: { code: 4401, reason: "The session has ended", idOf: ({ sessionID }) => sessionID },
};

/** Sends messages to the connections of all processes, and receives the messages for those of this process. */
export class HubMessages {
  readonly #hub: Hub;
  readonly #links: ReadonlySet<Link>;
  #subscriptions: readonly Subscription[] = [];

  /**
   * Creates the messages of a server. It does not receive any until `listen` is called.
   *
   * @param hub The hub.
   * @param links The open connections in this process.
   */
  constructor(hub: Hub, links: ReadonlySet<Link>) {
    this.#hub = hub;
    this.#links = links;
  }

  /** Creates an emitter for the connections of a namespace, or for those of a user. */
  emitter(namespace: string, audience?: Audience): RoomEmitter {
    return emitterTo({ hub: this.#hub, channel: broadcastChannel(namespace), ...audience && { audience } });
  }

  /** Closes the connections of a user or session. */
  close(target: Target, id: string): Awaitable<void> {
    return publish(this.#hub, CONTROL, payloadOf(target, id));
  }

  /** Starts receiving messages for the given namespaces. */
  listen(namespaces: Iterable<string>): void {
    if (this.#subscriptions.length > 0) return;
    const inner = innerHub(this.#hub);
    const control = new Subscription(inner.channel(CONTROL), (payload) => this.#close(payload));
    const broadcasts = Array.from(namespaces, (name) => {
      return new Subscription(inner.channel(broadcastChannel(name)), (payload) => this.#emit(name, payload));
    });
    this.#subscriptions = [control, ...broadcasts];
    for (const each of this.#subscriptions) {
      Promise.try(() => each.channel.add(each)).catch((error) => inner.report("Cannot listen to the hub:", error));
    }
  }

  /** Stops receiving messages. */
  unlisten(): void {
    const subscriptions = this.#subscriptions;
    this.#subscriptions = [];
    for (const each of subscriptions) innerHub(this.#hub).leave(each.channel, each);
  }

  #close(payload: string): void {
    const [target, id] = readContent(payload);
    // Processes with another version of fw may send messages that are unknown here.
    if (!Object.hasOwn(closings, target)) return;
    const { code, reason, idOf } = closings[target as Target];
    for (const link of this.#links) if (idOf(link) === id) link.close(code, reason);
  }

  #emit(namespace: string, payload: string): void {
    const [audience, content] = splitPayload(payload);
    const [event, data] = readContent(content);
    // Connections with the same codec share the serialized event.
    const packets = new Map<Codec, Message>();
    for (const link of this.#links) {
      if (audience !== undefined && !isIn(audience, link)) continue;
      if (!link.parts.some((part) => part.Namespace === namespace)) continue;
      let packet = packets.get(link.codec);
      if (packet === undefined) packets.set(link.codec, packet = link.codec.event(0, namespace, event, data));
      link.sendLatest(packet, event);
    }
  }
}

function broadcastChannel(namespace: string): string {
  return `websocket:all:${namespace}`;
}

/** Receives a channel's messages on behalf of a server. */
class Subscription implements Sink {
  readonly channel: Channel;
  readonly isOpen = true;
  readonly #take: (payload: string) => void;

  constructor(channel: Channel, take: (payload: string) => void) {
    this.channel = channel;
    this.#take = take;
  }

  deliver(_channel: Channel, entry: Entry): void {
    this.#take(entry.Payload);
  }

  skip(): void {
    // These messages are delivered at most once, so gaps are ignored.
  }
}
