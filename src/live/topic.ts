/**
 * Topics. Messages of a topic are numbered, so that clients can resume.
 *
 * @module
 */

import { count, milliseconds, text } from "../config/option_kinds.ts";
import { optionTable, readOptions } from "../config/option_table.ts";
import { FrameworkError } from "../errors/errors.ts";
import { EventID, type EventsSource, NewEvent, type ServerEvent } from "../response/server_events.ts";
import type { Awaitable } from "../store/awaitable.ts";
import type { Position, Retention } from "./backplane.ts";
import type { Channel, Sink } from "./channel.ts";
import { isChannelName, roomChannel } from "./channel_name.ts";
import { EntryQueue, type Queued } from "./entry_queue.ts";
import { payloadOf, readPayload } from "./payload.ts";

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

const table = optionTable<TopicOptions>("live.TopicOptions", "a topic")({
  History: count(100, { from: 0 }),
  For: milliseconds(3_600_000, { isPositive: true }),
  Namespace: text(""),
});

/** A named sequence of messages. Each subscriber receives every message once and in order, or is notified of a gap. */
export class LiveTopic {
  /** The topic's name. */
  readonly Name: string;
  readonly #hub: TopicHub;
  readonly #channel: string;
  readonly #retention: Retention;

  /**
   * Created by {@linkcode Hub.Topic}.
   *
   * @ignore
   */
  constructor(hub: TopicHub, name: string, options: TopicOptions) {
    const { History, For, Namespace } = readOptions(table, options);
    if (typeof name !== "string" || name === "" || !isChannelName(name) || !isChannelName(Namespace)) {
      throw new FrameworkError(
        "FW_CONFIG",
        `Cannot declare the topic ${JSON.stringify(name)}: its name is empty or contains control characters or lone ` +
          "surrogates",
      );
    }
    this.Name = name;
    this.#hub = hub;
    this.#channel = roomChannel(Namespace, name);
    this.#retention = { History, For };
    hub.retain(this.#channel, this.#retention);
  }

  /**
   * Checks the options of another declaration.
   *
   * @ignore
   */
  declaredAgain(options: TopicOptions): this {
    readOptions(table, options);
    const { History, For } = this.#retention;
    if ((options.History ?? History) === History && (options.For ?? For) === For) return this;
    throw new FrameworkError(
      "FW_CONFIG",
      `Cannot declare the topic "${this.Name}" again with other options: it stores ${History} messages for ${For} ms`,
    );
  }

  /**
   * Publishes a message to all subscribers in all processes. The subscribers are the WebSocket connections in the room
   * with the same name and the readers of {@linkcode LiveTopic.Events}.
   *
   * @param event The event name.
   * @param data The data. Bytes are sent unchanged, and other values are sent as JSON. Readers of
   * {@linkcode LiveTopic.Events} receive bytes as Base64.
   * @returns The message's position, or a promise for it if the backplane is outside this process.
   * @throws {HTTPError} With status 503 if the message cannot be stored.
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
    const queue = new EntryQueue(signal);
    const from = positionOf(lastID);
    // The stored messages are sent while they are being read. They may not fit into the queue.
    const joining = (from === undefined ? follow(channel, queue) : channel.resume(queue, from))
      .catch((error) => queue.fail(error));
    try {
      // All readers share the text of a message, so it is parsed only when it is sent. If there are too many messages,
      // the response ends, and the browser resumes.
      for await (const queued of queue.entries()) yield eventOf(queued);
    } finally {
      queue.end();
      await joining;
      this.#hub.leave(channel, queue);
    }
  }
}

function positionOf(lastID: string): Position | undefined {
  const match = /^([\w-]{1,64})\.(\d{1,15})$/.exec(lastID);
  if (match === null) return lastID === "" ? undefined : { Epoch: "", Offset: 0 };
  const [, Epoch = "", offset = "0"] = match;
  return { Epoch, Offset: Number(offset) };
}

/** Subscribes to new messages. A browser that reconnects before the first message resumes after the ID sent here. */
async function follow(channel: Channel, queue: EntryQueue): Promise<void> {
  await channel.add(queue);
  const { Epoch, Offset } = channel.position;
  queue.push({ epoch: Epoch, offset: Offset, payload: "" });
}

/** Creates an event. A message that cannot be read, because others write to the backplane too, becomes a gap. */
function eventOf({ epoch, offset, payload, gap }: Queued): ServerEvent | EventID {
  const id = `${epoch}.${offset}`;
  // The event ID moves past the gap. Otherwise, the next connection would receive the same gap notice again.
  if (gap !== undefined) return NewEvent(gap, { Name: "gap", ID: id });
  if (payload === "") return new EventID(id);
  const found = readPayload(payload);
  if (found === undefined) return NewEvent({ From: offset, To: offset, Reason: "history" }, { Name: "gap", ID: id });
  const { event, data } = found;
  // Server-sent events are text.
  return NewEvent(data instanceof Uint8Array ? data.toBase64() : data, { Name: event, ID: id });
}
