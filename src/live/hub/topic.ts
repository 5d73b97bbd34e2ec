/**
 * Topics. Messages of a topic are numbered, so that clients can resume.
 *
 * @module
 */

import { count, func, milliseconds, text } from "../../base/config/option_kinds.ts";
import { type Filled, optionTable, readOptions } from "../../base/config/option_table.ts";
import { FrameworkError } from "../../base/errors/errors.ts";
import { EventID, NewEvent, ServerEvent } from "../../http/response/server_event.ts";
import type { EventsSource } from "../../http/response/event_texts.ts";
import type { Position, Retention } from "./backplane.ts";
import type { Channel, Gap } from "./channel.ts";
import { isChannelName, roomChannel } from "./channel_name.ts";
import { EntryQueue, type Queued } from "./entry_queue.ts";
import type { InnerHub } from "./inner_hub.ts";
import { payloadOf, readPlain } from "./payload.ts";

/** Options for {@linkcode Hub.Topic}. */
export interface TopicOptions {
  /**
   * The maximum number of stored messages.
   *
   * @default {100}
   */
  readonly History?: number;
  /**
   * The time for which messages are stored after the latest one, in milliseconds.
   *
   * @default {3600000}
   */
  readonly For?: number;
  /** The WebSocket namespace whose room shares the messages. If omitted, the default namespace is used. */
  readonly Namespace?: string;
}

/** Options for {@linkcode LiveTopic.Events}. */
export interface TopicEventsOptions {
  /**
   * Returns the current state, to which messages apply changes. It is sent as an event named `snapshot` to every new
   * reader and after every gap, so a page does not need another request to be up to date. A message that is already
   * part of the snapshot may be sent again after it, so messages should contain values instead of differences.
   */
  readonly Snapshot?: () => unknown;
}

const table = optionTable<TopicOptions>("live.TopicOptions", "a topic")({
  History: count(100, { from: 0 }),
  For: milliseconds(3_600_000, { isPositive: true }),
  Namespace: text(""),
});
const eventsTable = optionTable<TopicEventsOptions>("live.TopicEventsOptions", "the events of a topic")({
  Snapshot: func(),
});

/** Checks the options of a topic and applies the defaults. */
export function topicSettings(options: TopicOptions): Filled<TopicOptions> {
  return readOptions(table, options);
}

/** A named sequence of messages. Each subscriber receives every message once and in order, or is notified of a gap. */
export class LiveTopic {
  /** The topic's name. */
  readonly Name: string;
  readonly #hub: InnerHub;
  readonly #channel: string;
  readonly #retention: Retention;
  /** The last event, which most readers are about to send as well. */
  #last: { readonly payload: string; readonly id: string; readonly event: ServerEvent | EventID } | undefined;

  /**
   * Created by {@linkcode Hub.Topic}.
   *
   * @ignore
   */
  constructor(hub: InnerHub, name: string, { History, For, Namespace }: Filled<TopicOptions>) {
    if (name === "" || !isChannelName(name) || !isChannelName(Namespace)) {
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
   * @returns The position of the message.
   * @throws {FrameworkError} If a part of the data has no JSON form, such as `NaN` or a function.
   * @throws {HTTPError} With status 503 if the message cannot be stored.
   */
  Publish(event: string, data?: unknown): Promise<Position> {
    return this.#hub.publish(this.#channel, payloadOf(event, data));
  }

  /**
   * Returns the messages as server-sent events, for `ctx.Events`. After a reconnection, the browser sends
   * `Last-Event-ID` and resumes. If messages are missing, it first receives an event named `gap` with `From`, `To` and
   * `Reason`.
   *
   * @param options The function that returns the current state, for new readers and after a gap.
   * @returns The event source.
   * @throws {FrameworkError} If there is no such option.
   */
  Events(options: TopicEventsOptions = {}): EventsSource {
    readOptions(eventsTable, options);
    return (lastID, signal) => this.#read(lastID, signal, options.Snapshot);
  }

  async *#read(
    lastID: string,
    signal: AbortSignal,
    snapshot: TopicEventsOptions["Snapshot"],
  ): AsyncGenerator<ServerEvent | EventID> {
    const channel = this.#hub.channel(this.#channel);
    const queue = new EntryQueue(signal);
    const from = positionOf(lastID);
    // The stored messages are sent while they are being read. They may not fit into the queue.
    const joining = (from === undefined ? follow(channel, queue) : channel.resume(queue, from))
      .catch((error) => queue.fail(error));
    try {
      // All readers share the text of a message, so it is parsed only when it is sent. If there are too many messages,
      // the response ends, and the browser resumes.
      for await (const queued of queue.entries()) {
        const event = this.#eventOf(queued);
        if (snapshot === undefined || !(event instanceof EventID || event instanceof GapEvent)) yield event;
        else {
          // The ID is sent with the snapshot, so that a reader that is disconnected before receives it again.
          if (event instanceof GapEvent) yield NewEvent(event.Data, { Name: event.Name });
          yield NewEvent(await snapshot(), { Name: "snapshot", ID: idOf(queued) });
        }
      }
    } finally {
      queue.end();
      await joining;
      this.#hub.leave(channel, queue);
    }
  }

  /** Returns the same event to all readers, so that it is parsed and encoded once. */
  #eventOf(queued: Queued): ServerEvent | EventID {
    const { payload } = queued;
    if (payload === "") return eventOf(queued);
    const id = idOf(queued);
    if (this.#last?.id !== id || this.#last.payload !== payload) {
      this.#last = { payload, id, event: eventOf(queued) };
    }
    return this.#last.event;
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

/** A notice about missing messages. */
class GapEvent extends ServerEvent<Gap> {
  constructor(gap: Gap, id: string) {
    super(gap, { Name: "gap", ID: id });
  }
}

function idOf({ epoch, offset }: Queued): string {
  return `${epoch}.${offset}`;
}

/** Creates an event. A message that cannot be read, because others write to the backplane too, becomes a gap. */
function eventOf(queued: Queued): ServerEvent | EventID {
  const { offset, payload, gap } = queued;
  const id = idOf(queued);
  // The event ID moves past the gap. Otherwise, the next connection would receive the same gap notice again.
  if (gap !== undefined) return new GapEvent(gap, id);
  if (payload === "") return new EventID(id);
  const found = readPlain(payload);
  if (found === undefined) return new GapEvent({ From: offset, To: offset, Reason: "history" }, id);
  return NewEvent(found.data, { Name: found.event, ID: id });
}
