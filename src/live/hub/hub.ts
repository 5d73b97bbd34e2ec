/**
 * The hub. It manages the channels, topics and presence of one process on a backplane.
 *
 * @module
 */

import { boundedBackplane } from "./unavailable.ts";
import { notify } from "../../base/async/callback.ts";
import { startShared } from "../../base/async/shared_timer.ts";
import { filled, func, methods } from "../../base/config/option_kinds.ts";
import { checkArgument, checkText, optionTable, readOptions } from "../../base/config/option_table.ts";
import { Logger } from "../../base/log/logger.ts";
import type { Awaitable } from "../../state/store/store.ts";
import type { Backplane, Position, Retention } from "./backplane.ts";
import { Channel, type Sink } from "./channel.ts";
import { isOwnChannel, roomChannel } from "./channel_name.ts";
import { newMemory } from "./memory.ts";
import { namespaceOf, type NamespaceOptions } from "./namespace_options.ts";
import { isPayload } from "./payload.ts";
import { RoomPresence } from "./presence.ts";
import type { RoomMembers } from "./room_members.ts";
import { LiveTopic, topicNamespace, type TopicOptions } from "./topic.ts";
import { available } from "./unavailable.ts";

/** The interval for comparing positions with a backplane that may lose messages, in milliseconds. */
const CHECK_MS = 3_000;
/** The lifetime of a process's lease and its renewal interval, in milliseconds. */
const LEASE_MS = 12_000;
const RENEW_MS = 4_000;

const none: Retention = { History: 0, For: 0 };

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

/** Returns the internal interface of a hub. Set in the static block of {@linkcode Hub}. */
export let innerHub: (hub: Hub) => InnerHub;

/** The internal interface of a hub. */
export interface InnerHub {
  readonly backplane: Backplane;
  readonly node: string;
  /** The number of rooms and topics with subscribers in this process. */
  readonly channels: number;
  /** Returns the retention that a topic has set for a channel, or the fallback. */
  retention(name: string, fallback: Retention): Retention;
  /** Sets the retention of a channel. */
  retain(name: string, retention: Retention): void;
  /** Publishes a message. The fallback is the retention of a channel without a topic. If omitted, nothing is stored. */
  publish(name: string, payload: string, fallback?: Retention): Promise<Position>;
  /** Returns a channel. Creates it if it does not exist. */
  channel(name: string): Channel;
  leave(channel: Channel, sink: Sink): void;
  /** The rooms with members of this process, and the watched rooms. */
  readonly presences: Map<string, RoomMembers>;
  /** Returns the presence of a room among the connections of a server. */
  presence(server: string, room: string, namespace: string): RoomPresence;
  /** Returns the number of the next WebSocket server on this hub. */
  nextServer(): number;
  /** Renews this process's lease for as long as the process owns rows. */
  hold(): Promise<void>;
  /** Returns a promise of the presence. The hub is closed only after the promise has settled. */
  track<T>(work: Promise<T>): Promise<T>;
  /** Stops renewing the lease if there are no rooms with members or watchers. */
  releaseIfUnused(): void;
  report(message: string, error: unknown): void;
  /** Sets the log for failures, used if the hub has no `OnError`. */
  reportTo(log: (message: string, error: unknown) => void): void;
}

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
  readonly #backplane: Backplane;
  readonly #onError: HubOptions["OnError"];
  readonly #inner: InnerHub = Hub.#innerOf(this);
  readonly #node: string = crypto.randomUUID().slice(0, 12);
  readonly #channels = new Map<string, Channel>();
  readonly #topics = new Map<string, LiveTopic>();
  readonly #retentions = new Map<string, Retention>();
  readonly #presences = new Map<string, RoomMembers>();
  #servers = 0;
  #log: ((message: string, error: unknown) => void) | undefined = undefined;
  #stopChecking: (() => void) | undefined = undefined;
  #stopRenewing: (() => void) | undefined = undefined;
  /** The calls of the presence that are in flight. */
  readonly #inFlight = new Set<Promise<unknown>>();
  /** The first renewal of the lease, while it is in flight. */
  #holding: Awaitable<unknown> = undefined;

  /**
   * Created by {@linkcode New}.
   *
   * @param options The backplane and the error handler.
   */
  constructor(options: HubOptions = {}) {
    const { Backplane = newMemory(), OnError } = readOptions(table, options);
    this.#onError = OnError;
    this.#backplane = boundedBackplane(Backplane);
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
    const channel = roomChannel(topicNamespace(options), name);
    const known = this.#topics.get(channel);
    if (known !== undefined) return known.declaredAgain(options);
    const topic = new LiveTopic(this.#inner, name, options);
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
    return new RoomPresence(this.#inner, room, namespaceOf("Presence", options));
  }

  /**
   * Removes the members of this process from the presence of all rooms, closes the backplane and stops all timers. No
   * messages can be published afterwards.
   *
   * @returns A promise that resolves when the backplane is closed.
   */
  async Close(): Promise<void> {
    this.#stopChecking?.();
    this.#stopRenewing?.();
    for (const members of this.#presences.values()) void this.#track(members.end());
    for (const channel of this.#channels.values()) channel.close();
    this.#channels.clear();
    // The connections that have just been closed may still be removing their members.
    await Promise.allSettled(this.#inFlight);
    await this.#backplane.Close();
  }

  /** Closes the hub at the end of an `await using` block. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.Close();
  }

  static #innerOf(hub: Hub): InnerHub {
    return {
      get backplane() {
        return hub.#backplane;
      },
      get node() {
        return hub.#node;
      },
      get channels() {
        return [...hub.#channels.keys()].filter((name) => !isOwnChannel(name)).length;
      },
      retention: (name, fallback) => hub.#retentions.get(name) ?? fallback,
      retain: (name, retention) => void hub.#retentions.set(name, retention),
      publish: (name, payload, fallback) => hub.#publish(name, payload, fallback),
      get presences() {
        return hub.#presences;
      },
      presence: (server, room, namespace) => new RoomPresence(hub.#inner, room, namespace, server),
      nextServer: () => hub.#servers++,
      channel: (name) => hub.#channel(name),
      leave: (channel, sink) => hub.#leave(channel, sink),
      hold: () => hub.#hold(),
      track: (work) => hub.#track(work),
      releaseIfUnused: () => hub.#releaseIfUnused(),
      report: (message, error) => hub.#report(message, error),
      reportTo: (log) => void (hub.#log ??= log),
    };
  }

  #report(message: string, error: unknown): void {
    const log = this.#log ?? logAlone;
    const onError = this.#onError ?? log;
    notify(() => onError(message, error), (thrown) => {
      log(message, error);
      log("Cannot run OnError of a hub:", thrown);
    });
  }

  #publish(name: string, payload: string, fallback = none): Promise<Position> {
    const retention = this.#retentions.get(name) ?? fallback;
    return available(
      () => this.#backplane.Publish(name, payload, retention),
      "The message cannot be published",
      (cause) => {
        this.#inner.report(`Cannot publish to ${JSON.stringify(name)}:`, cause);
      },
    );
  }

  #channel(name: string): Channel {
    let channel = this.#channels.get(name);
    if (channel === undefined) {
      // Messages in process memory need not be checked.
      const isReadable = this.#backplane.IsLossless ? undefined : isPayload;
      channel = new Channel(name, this.#backplane, this.#inner.report, isReadable);
      this.#channels.set(name, channel);
      if (!this.#backplane.IsLossless) this.#checkAll();
    }
    return channel;
  }

  #leave(channel: Channel, sink: Sink): void {
    channel.remove(sink);
    if (channel.isUsed || this.#channels.get(channel.name) !== channel) return;
    this.#channels.delete(channel.name);
    channel.close();
    if (this.#channels.size > 0) return;
    this.#stopChecking?.();
    this.#stopChecking = undefined;
  }

  #checkAll(): void {
    this.#stopChecking ??= repeat(() => {
      for (const channel of this.#channels.values()) void channel.check();
    }, CHECK_MS);
  }

  async #track<T>(work: Promise<T>): Promise<T> {
    this.#inFlight.add(work);
    try {
      return await work;
    } finally {
      this.#inFlight.delete(work);
    }
  }

  async #hold(): Promise<void> {
    if (this.#stopRenewing === undefined) {
      this.#stopRenewing = repeat(() => void this.#track(this.#renew()), RENEW_MS);
      this.#holding = this.#backplane.Renew(this.#node, LEASE_MS);
    }
    try {
      // A row that is stored before the lease would be removed by other processes.
      await this.#holding;
    } finally {
      this.#holding = undefined;
    }
  }

  #releaseIfUnused(): void {
    if (this.#presences.size > 0) return;
    this.#stopRenewing?.();
    this.#stopRenewing = undefined;
  }

  async #renew(): Promise<void> {
    try {
      await this.#backplane.Renew(this.#node, LEASE_MS);
      await Promise.all(Array.from(this.#presences.values(), (members) => members.refresh()));
    } catch (error) {
      this.#inner.report("Cannot renew the presence of this process yet:", error);
    }
  }

  static {
    innerHub = (hub) => hub.#inner;
  }
}

/** Logs a failure of a hub that no server uses. */
function logAlone(message: string, error: unknown): void {
  new Logger().Error(message, error);
}

/** Calls a function repeatedly, without keeping the process alive. Returns a function that stops it. */
function repeat(run: () => void, interval: number): () => void {
  return startShared(() => {
    const timer = setInterval(run, interval);
    Deno.unrefTimer(timer);
    return timer;
  });
}
