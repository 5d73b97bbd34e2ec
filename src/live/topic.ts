/**
 * Topics. Messages of a topic are numbered, so that clients can resume.
 *
 * @module
 */

import { checkOptions, type OptionRules } from "../config/check_options.ts";
import { FrameworkError } from "../errors/errors.ts";
import { EventID, type EventsSource, NewEvent, type ServerEvent } from "../response/server_events.ts";
import type { Awaitable } from "../store/awaitable.ts";
import type { Entry, Position, Retention } from "./backplane.ts";
import type { Channel, Gap, Sink } from "./channel.ts";
import { isChannelName, roomChannel } from "./channel_name.ts";
import { payloadOf, readPayload } from "./payload.ts";

/**
 * The maximum number of messages and characters to queue for a slow reader of server-sent events. If one of them is
 * exceeded, the response ends.
 */
const MOST_WAITING = 10_000;
const MOST_CHARACTERS = 1 << 20;

/** Options for {@linkcode Hub.Topic}. */
export interface TopicOptions {
  /**
   * The maximum number of stored messages.
   *
   * @default {100}
   */
  readonly History?: number;
  /**
   * The time to store messages after the last one, in milliseconds.
   *
   * @default {3600000}
   */
  readonly For?: number;
  /** The WebSocket namespace whose room shares the messages. If omitted, the default namespace is used. */
  readonly Namespace?: string;
}

/** The part of the hub that a topic needs. */
export interface TopicHub {
  retain(name: string, retention: Retention): void;
  publish(name: string, payload: string): Awaitable<Position>;
  channel(name: string): Channel;
  leave(channel: Channel, sink: Sink): void;
}

const optionRules: OptionRules<TopicOptions> = { History: "number", For: "number", Namespace: "string" };

/** A named sequence of messages. Each subscriber receives every message once and in order, or is notified of a gap. */
export class LiveTopic {
  /** The topic's name. */
  readonly Name: string;
  readonly #hub: TopicHub;
  readonly #channel: string;

  /**
   * Created by {@linkcode Hub.Topic}.
   *
   * @ignore
   */
  constructor(hub: TopicHub, name: string, options: TopicOptions) {
    checkOptions("a topic", options, optionRules);
    const { Namespace = "" } = options;
    if (!isChannelName(name) || !isChannelName(Namespace)) {
      throw new FrameworkError(
        "FW_CONFIG",
        `Cannot declare the topic ${JSON.stringify(name)}: its name contains control characters or lone surrogates`,
      );
    }
    this.Name = name;
    this.#hub = hub;
    this.#channel = roomChannel(Namespace, name);
    hub.retain(this.#channel, checkRetention(options));
  }

  /**
   * Publishes a message to all subscribers in all processes. The subscribers are the WebSocket connections in the room
   * with the same name and the readers of {@linkcode LiveTopic.Events}.
   *
   * @param event The event name.
   * @param data The data, sent as JSON.
   * @returns The message's position, or a promise for it if the backplane is outside this process.
   * @throws If the message cannot be stored.
   */
  Publish(event: string, data?: unknown): Awaitable<Position> {
    return this.#hub.publish(this.#channel, payloadOf(event, data));
  }

  /**
   * Returns the messages as server-sent events, for `ctx.Events`. After a reconnection, the browser sends
   * `Last-Event-ID` and resumes. If messages are missing, it first receives an event named `gap` with `From`, `To` and
   * `Reason`.
   *
   * @returns The event source.
   */
  Events(): EventsSource {
    return (lastID, signal) => this.#read(lastID, signal);
  }

  async *#read(lastID: string, signal: AbortSignal): AsyncGenerator<ServerEvent | EventID> {
    const channel = this.#hub.channel(this.#channel);
    const reader = new Reader(signal);
    const from = positionOf(lastID);
    // The stored messages are sent while they are being read. They may not fit into the queue.
    const joining = (from === undefined ? reader.follow(channel) : channel.resume(reader, from))
      .catch((error) => reader.fail(error));
    try {
      yield* reader.events();
    } finally {
      reader.end();
      await joining;
      this.#hub.leave(channel, reader);
    }
  }
}

/** Validates the retention options. */
function checkRetention({ History = 100, For = 3_600_000 }: Partial<Retention>): Retention {
  if (!Number.isSafeInteger(History) || History < 0 || !(For > 0)) {
    throw new FrameworkError(
      "FW_CONFIG",
      `Cannot store "${History}" messages for "${For}" ms: the number must not be negative and the time must be positive`,
    );
  }
  return { History, For };
}

function positionOf(lastID: string): Position | undefined {
  const match = /^([\w-]{1,64})\.(\d{1,15})$/.exec(lastID);
  if (match === null) return lastID === "" ? undefined : { Epoch: "", Offset: 0 };
  const [, Epoch = "", offset = "0"] = match;
  return { Epoch, Offset: Number(offset) };
}

/** A message that waits for the response. */
interface Waiting {
  readonly id: string;
  readonly offset: number;
  /** The message, or an empty string if only the ID is sent. */
  readonly payload: string;
}

/** Queues messages until the response reads them. */
class Reader implements Sink {
  readonly #signal: AbortSignal;
  #waiting: Waiting[] = [];
  #size = 0;
  #wake: (() => void) | undefined = undefined;
  #taken: (() => void) | undefined = undefined;
  #failure: { readonly error: unknown } | undefined = undefined;
  #isOpen = true;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
    signal.addEventListener("abort", () => this.end(), { once: true });
  }

  get isOpen(): boolean {
    return this.#isOpen && !this.#signal.aborted;
  }

  deliver(channel: Channel, { Offset, Payload }: Entry): void {
    // All readers share the text of a message, so it is parsed only when it is sent.
    this.#push({ id: `${channel.position.Epoch}.${Offset}`, offset: Offset, payload: Payload });
  }

  skip(channel: Channel, gap: Gap): void {
    // The event ID moves past the gap. Otherwise, the next connection would receive the same gap notice again.
    const offset = gap.Reason === "epoch" ? 0 : gap.To;
    this.#push({ id: `${channel.position.Epoch}.${offset}`, offset, payload: payloadOf("gap", gap) });
  }

  /** Subscribes to new messages. A browser that reconnects before the first message resumes after the ID sent here. */
  async follow(channel: Channel): Promise<void> {
    await channel.add(this);
    const { Epoch, Offset } = channel.position;
    this.#push({ id: `${Epoch}.${Offset}`, offset: Offset, payload: "" });
  }

  async ready(): Promise<void> {
    while (this.isOpen && this.#waiting.length > 0) await new Promise<void>((resolve) => this.#taken = resolve);
  }

  async *events(): AsyncGenerator<ServerEvent | EventID> {
    while (this.isOpen || this.#waiting.length > 0) {
      const waiting = this.#waiting.shift();
      if (waiting === undefined) {
        await new Promise<void>((resolve) => this.#wake = resolve);
        continue;
      }
      this.#size -= waiting.payload.length;
      yield eventOf(waiting);
      if (this.#waiting.length === 0) this.#taken?.();
    }
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  /** Ends the response because the messages cannot be read. */
  fail(error: unknown): void {
    this.#failure = { error };
    this.end();
  }

  end(): void {
    this.#isOpen = false;
    this.#waiting = [];
    this.#wake?.();
    this.#taken?.();
  }

  #push(waiting: Waiting): void {
    if (!this.isOpen) return;
    this.#waiting.push(waiting);
    this.#size += waiting.payload.length;
    // The response ends after the queued messages. The browser reconnects and resumes, so no message is lost.
    if (this.#waiting.length > MOST_WAITING || this.#size > MOST_CHARACTERS) this.#isOpen = false;
    this.#wake?.();
    if (!this.#isOpen) this.#taken?.();
  }
}

/** Creates an event. A message that cannot be read, because others write to the backplane too, becomes a gap. */
function eventOf({ id, offset, payload }: Waiting): ServerEvent | EventID {
  if (payload === "") return new EventID(id);
  const found = readPayload(payload);
  if (found === undefined) return NewEvent({ From: offset, To: offset, Reason: "history" }, { Name: "gap", ID: id });
  const { event, data } = found;
  // Server-sent events are text.
  return NewEvent(data instanceof Uint8Array ? data.toBase64() : data, { Name: event, ID: id });
}
