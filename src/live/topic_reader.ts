/**
 * Queues the messages of a topic for a response with server-sent events.
 *
 * @module
 */

import { EventID, NewEvent, type ServerEvent } from "../response/server_events.ts";
import type { Entry } from "./backplane.ts";
import type { Channel, Gap, Sink } from "./channel.ts";
import { payloadOf, readPayload } from "./payload.ts";

/**
 * The maximum number of messages and characters to queue for a slow reader of server-sent events. If one of them is
 * exceeded, the response ends.
 */
const MOST_WAITING = 10_000;
const MOST_CHARACTERS = 1 << 20;

/** A message that is waiting to be sent. */
interface Waiting {
  readonly id: string;
  readonly offset: number;
  /** The message, or an empty string if only the ID is sent. */
  readonly payload: string;
}

/** Queues messages until the response reads them. */
export class TopicReader implements Sink {
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

  skip(channel: Channel, gap: Gap, offset: number): void {
    // The event ID moves past the gap. Otherwise, the next connection would receive the same gap notice again.
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
