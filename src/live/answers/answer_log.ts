/**
 * The log of an answer, which is a channel of the hub. Clients cannot join it.
 *
 * @module
 */

import type { Position, Retention } from "../hub/backplane.ts";
import type { Sink } from "../hub/channel.ts";
import { ownChannel } from "../hub/channel_name.ts";
import { EntryQueue, type Queued } from "../hub/entry_queue.ts";
import type { InnerHub } from "../hub/inner_hub.ts";
import { payloadOf } from "../hub/payload.ts";
import { AnswerRecord, type Entries } from "./answer_record.ts";
import type { Part } from "./part.ts";

/** The number of entries to read at once. */
const PAGE = 500;
/** The delay before an entry is written again, in milliseconds. */
const RETRY_MS = 50;
const RETRY_MOST_MS = 1_000;

/** The state of an answer and its parts. */
export interface Recorded {
  readonly record: AnswerRecord;
  readonly parts: Part[];
}

/** The entries of one answer. */
export class AnswerLog {
  readonly #hub: InnerHub;
  readonly #name: string;
  readonly #retention: Retention;

  constructor(hub: InnerHub, run: string, retention: Retention) {
    this.#hub = hub;
    this.#name = ownChannel("answer", run);
    this.#retention = retention;
  }

  /**
   * Writes an entry. If the backplane is not available, writes it again until the time is up. An entry that is written
   * twice has an effect only once.
   *
   * @param event The event name.
   * @param data The entry.
   * @param patience The time to keep trying, in milliseconds.
   */
  async write<Event extends keyof Entries>(event: Event, data: Entries[Event], patience = 0): Promise<void> {
    const payload = payloadOf(event, data);
    const end = performance.now() + patience;
    for (let pause = RETRY_MS;; pause = Math.min(2 * pause, RETRY_MOST_MS)) {
      try {
        return void await this.#hub.backplane.Publish(this.#name, payload, this.#retention);
      } catch (error) {
        if (performance.now() + pause > end) throw error;
        if (pause === RETRY_MS) this.#hub.report("Cannot record a part of an answer yet:", error);
        await new Promise((resolve) => setTimeout(resolve, pause));
      }
    }
  }

  /** Reads the whole log. */
  async load(): Promise<Recorded> {
    const [record, parts]: [AnswerRecord, Part[]] = [new AnswerRecord(), []];
    for (let after = 0;;) {
      const { Entries: entries, Offset } = await this.#hub.backplane.Read(this.#name, after, PAGE);
      for (const { Payload } of entries) parts.push(...record.apply(Payload));
      after = entries.at(-1)?.Offset ?? Offset;
      if (after >= Offset) return { record, parts };
    }
  }

  /**
   * Yields all entries of the log, and new ones as they are written. A slow reader reads them from the backplane at its
   * own pace.
   */
  async *follow(signal: AbortSignal): AsyncGenerator<Queued> {
    for (let at: Position | undefined; !signal.aborted;) {
      const channel = this.#hub.channel(this.#name);
      const queue = new EntryQueue(signal);
      const joining = (at === undefined ? channel.rewind(queue, Infinity) : channel.resume(queue, at))
        .catch((error) => queue.fail(error));
      try {
        for await (const queued of queue.entries()) {
          at = { Epoch: queued.epoch, Offset: queued.offset };
          yield queued;
        }
      } finally {
        queue.end();
        await joining;
        this.#hub.leave(channel, queue);
      }
    }
  }

  /** Listens to new entries. Returns a function that stops listening. */
  async listen(listener: (payload: string) => void, missed: () => void): Promise<() => void> {
    const channel = this.#hub.channel(this.#name);
    const sink: Sink = {
      isOpen: true,
      deliver: (_channel, { Payload }) => listener(Payload),
      skip: missed,
    };
    await channel.add(sink);
    return () => this.#hub.leave(channel, sink);
  }
}
