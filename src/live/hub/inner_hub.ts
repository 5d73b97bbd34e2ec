/**
 * The channels, retentions and presence of one process on a backplane.
 *
 * @module
 */

import { notify } from "../../base/async/callback.ts";
import { startShared } from "../../base/async/shared_timer.ts";
import { Logger } from "../../base/log/logger.ts";
import type { Awaitable } from "../../state/store/store.ts";
import type { Backplane, Position, Retention } from "./backplane.ts";
import { Channel, type Report, type Sink } from "./channel.ts";
import { isOwnChannel } from "./channel_name.ts";
import { isPayload } from "./payload.ts";
import { RoomPresence } from "./presence.ts";
import type { RoomMembers } from "./room_members.ts";
import { available } from "./unavailable.ts";

/** The interval for comparing positions with a backplane that may lose messages, in milliseconds. */
const CHECK_MS = 3_000;
/** The lifetime of a process's lease and its renewal interval, in milliseconds. */
const LEASE_MS = 12_000;
const RENEW_MS = 4_000;

const none: Retention = { History: 0, For: 0 };

/** The internal side of a hub, for topics, servers and answers. */
export class InnerHub {
  readonly backplane: Backplane;
  readonly node: string = crypto.randomUUID().slice(0, 12);
  /** The rooms with members of this process, and the watched rooms. */
  readonly presences: Map<string, RoomMembers> = new Map();
  /** Reports a background failure. */
  readonly report: Report = this.#report.bind(this);
  readonly #onError: Report | undefined;
  readonly #channels = new Map<string, Channel>();
  readonly #retentions = new Map<string, Retention>();
  #servers = 0;
  #log: Report | undefined = undefined;
  #stopChecking: (() => void) | undefined = undefined;
  #stopRenewing: (() => void) | undefined = undefined;
  /** The calls of the presence that are in flight. */
  readonly #inFlight = new Set<Promise<unknown>>();
  /** The first renewal of the lease, while it is in flight. */
  #holding: Awaitable<unknown> = undefined;

  constructor(backplane: Backplane, onError: Report | undefined) {
    this.backplane = backplane;
    this.#onError = onError;
  }

  /** Returns the number of rooms and topics with subscribers in this process. */
  get channels(): number {
    return [...this.#channels.keys()].filter((name) => !isOwnChannel(name)).length;
  }

  /** Returns the retention that a topic has set for a channel, or the fallback. */
  retention(name: string, fallback: Retention): Retention {
    return this.#retentions.get(name) ?? fallback;
  }

  /** Sets the retention of a channel. */
  retain(name: string, retention: Retention): void {
    this.#retentions.set(name, retention);
  }

  /** Publishes a message. The fallback is the retention of a channel without a topic. If omitted, nothing is stored. */
  publish(name: string, payload: string, fallback: Retention = none): Promise<Position> {
    return available(
      () => this.backplane.Publish(name, payload, this.retention(name, fallback)),
      "The message cannot be published",
      (cause) => this.report(`Cannot publish to ${JSON.stringify(name)}:`, cause),
    );
  }

  /** Returns a channel. Creates it if it does not exist. */
  channel(name: string): Channel {
    let channel = this.#channels.get(name);
    if (channel === undefined) {
      // Messages in process memory need not be checked.
      const isReadable = this.backplane.IsLossless ? undefined : isPayload;
      channel = new Channel(name, this.backplane, this.report, isReadable);
      this.#channels.set(name, channel);
      if (!this.backplane.IsLossless) this.#checkAll();
    }
    return channel;
  }

  /** Removes a subscriber from its channel, and closes the channel after the last one. */
  leave(channel: Channel, sink: Sink): void {
    channel.remove(sink);
    if (channel.isUsed || this.#channels.get(channel.name) !== channel) return;
    this.#channels.delete(channel.name);
    channel.close();
    if (this.#channels.size > 0) return;
    this.#stopChecking?.();
    this.#stopChecking = undefined;
  }

  /** Returns the presence of a room among the connections of a server, or of all servers. */
  presence(server: string | undefined, room: string, namespace: string): RoomPresence {
    return new RoomPresence(this, room, namespace, server);
  }

  /** Returns the number of the next WebSocket server on this hub. */
  nextServer(): number {
    return this.#servers++;
  }

  /** Renews this process's lease for as long as the process owns rows. */
  async hold(): Promise<void> {
    if (this.#stopRenewing === undefined) {
      this.#stopRenewing = repeat(() => void this.track(this.#renew()), RENEW_MS);
      this.#holding = this.backplane.Renew(this.node, LEASE_MS);
    }
    try {
      // A row that is stored before the lease would be removed by other processes.
      await this.#holding;
    } finally {
      this.#holding = undefined;
    }
  }

  /** Returns a promise of the presence. The hub is closed only after the promise has settled. */
  async track<T>(work: Promise<T>): Promise<T> {
    this.#inFlight.add(work);
    try {
      return await work;
    } finally {
      this.#inFlight.delete(work);
    }
  }

  /** Stops renewing the lease if there are no rooms with members or watchers. */
  releaseIfUnused(): void {
    if (this.presences.size > 0) return;
    this.#stopRenewing?.();
    this.#stopRenewing = undefined;
  }

  /** Sets the log for failures, used if the hub has no `OnError`. */
  reportTo(log: Report): void {
    this.#log ??= log;
  }

  /** Closes the channels and the backplane, and stops all timers. */
  async close(): Promise<void> {
    this.#stopChecking?.();
    this.#stopRenewing?.();
    for (const members of this.presences.values()) void this.track(members.end());
    for (const channel of this.#channels.values()) channel.close();
    this.#channels.clear();
    // The connections that have just been closed may still be removing their members.
    await Promise.allSettled(this.#inFlight);
    await this.backplane.Close();
  }

  #report(message: string, error: unknown): void {
    const log = this.#log ?? logAlone;
    const onError = this.#onError ?? log;
    notify(() => onError(message, error), (thrown) => {
      log(message, error);
      log("Cannot run OnError of a hub:", thrown);
    });
  }

  #checkAll(): void {
    this.#stopChecking ??= repeat(() => {
      for (const channel of this.#channels.values()) void channel.check();
    }, CHECK_MS);
  }

  async #renew(): Promise<void> {
    try {
      await this.backplane.Renew(this.node, LEASE_MS);
      await Promise.all(Array.from(this.presences.values(), (members) => members.refresh()));
    } catch (error) {
      this.report("Cannot renew the presence of this process yet:", error);
    }
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
