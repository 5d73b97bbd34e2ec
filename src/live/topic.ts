/**
 * Topics. Messages of a topic are numbered, so that clients can resume.
 *
 * @module
 */

import { checkOptions, type OptionRules } from "../config/check_options.ts";
import { FrameworkError } from "../errors/errors.ts";
import { type EventsSource, NewEvent, type ServerEvent } from "../response/server_events.ts";
import type { Awaitable } from "../store/awaitable.ts";
import type { Entry, Position, Retention } from "./backplane.ts";
import type { Channel, Gap, Sink } from "./channel.ts";
import { payloadOf, readContent, splitPayload } from "./payload.ts";

/**
 * The maximum number of messages to queue for a slow reader of server-sent events. If it is exceeded, the response
 * ends.
 */
const MOST_WAITING = 10_000;

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
}

/** The part of the hub that a topic needs. */
export interface TopicHub {
  retain(name: string, retention: Retention): void;
  publish(name: string, payload: string): Awaitable<Position>;
  channel(name: string): Channel;
  leave(channel: Channel, sink: Sink): void;
}

const optionRules: OptionRules<TopicOptions> = { History: "number", For: "number" };

/** A named sequence of messages. Each subscriber receives every message once and in order, or is notified of a gap. */
export class LiveTopic {
  /** The topic's name. */
  readonly Name: string;
  readonly #hub: TopicHub;

  /**
   * Created by {@linkcode Hub.Topic}.
   *
   * @ignore
   */
  constructor(hub: TopicHub, name: string, options: TopicOptions) {
    checkOptions("a topic", options, optionRules);
    this.Name = name;
    this.#hub = hub;
    hub.retain(name, checkRetention(options));
  }

  /**
   * Publishes a message to all subscribers in all processes. The subscribers are the WebSocket connections in the room
   * with the same name and the readers of {@linkcode LiveTopic.Events}.
   *
   * @param event The event name.
   * @param data The data. Bytes are sent unchanged, and other values are sent as JSON. Readers of
   * {@linkcode LiveTopic.Events} receive bytes as Base64.
   * @returns The message's position, or a promise for it if the backplane is outside this process.
   * @throws If the message cannot be stored.
   */
  Publish(event: string, data?: unknown): Awaitable<Position> {
    return this.#hub.publish(this.Name, payloadOf(event, data));
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

  async *#read(lastID: string, signal: AbortSignal): AsyncGenerator<ServerEvent> {
    const channel = this.#hub.channel(this.Name);
    const reader = new Reader(signal);
    try {
      const from = positionOf(lastID);
      if (from === undefined) await channel.add(reader);
      else await channel.resume(reader, from);
      yield* reader.events();
    } finally {
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

/** Queues messages until the response reads them. */
class Reader implements Sink {
  readonly #signal: AbortSignal;
  readonly #waiting: ServerEvent[] = [];
  #wake: (() => void) | undefined = undefined;
  #isOpen = true;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
    signal.addEventListener("abort", () => this.#end(), { once: true });
  }

  get isOpen(): boolean {
    return this.#isOpen && !this.#signal.aborted;
  }

  deliver(channel: Channel, { Offset, Payload }: Entry): void {
    const [event, data] = readContent(splitPayload(Payload)[1]);
    // Server-sent events are text.
    const sent = data instanceof Uint8Array ? data.toBase64() : data;
    this.#push(NewEvent(sent, { Name: event, ID: `${channel.position.Epoch}.${Offset}` }));
  }

  skip(channel: Channel, gap: Gap): void {
    // The event ID moves past the gap. Otherwise, the next connection would receive the same gap notice again.
    const offset = gap.Reason === "epoch" ? 0 : gap.To;
    this.#push(NewEvent(gap, { Name: "gap", ID: `${channel.position.Epoch}.${offset}` }));
  }

  async *events(): AsyncGenerator<ServerEvent> {
    while (this.isOpen || this.#waiting.length > 0) {
      const event = this.#waiting.shift();
      if (event !== undefined) yield event;
      else await new Promise<void>((resolve) => this.#wake = resolve);
    }
  }

  #push(event: ServerEvent): void {
    this.#waiting.push(event);
    // The browser reconnects and resumes, so the size of the queue can be limited without losing messages.
    if (this.#waiting.length > MOST_WAITING) this.#end();
    this.#wake?.();
  }

  #end(): void {
    this.#isOpen = false;
    this.#waiting.length = 0;
    this.#wake?.();
  }
}
