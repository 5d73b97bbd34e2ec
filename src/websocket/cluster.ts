/**
 * Asks the processes of a server and collects their answers.
 *
 * @module
 */

import { ownChannel } from "../live/channel_name.ts";
import { type Hub, innerHub } from "../live/hub.ts";
import { payloadOf } from "../live/payload.ts";
import type { RoomPresence } from "../live/presence.ts";
import { publish } from "../live/publish.ts";
import { Subscription } from "../live/subscription.ts";
import type { Awaitable } from "../store/awaitable.ts";

/** The maximum time to wait for answers, in milliseconds. */
export const ANSWER_MS = 2_000;
/** The number of rows after which an answer is split, and the length of their JSON. Some backplanes limit messages. */
const PART_CHARACTERS = 64 << 10;
/** The name of the room whose members are processes. Clients cannot join it, because it has a control character. */
const ROOM = "\nprocesses";

/** The answers of all processes. */
export interface Answers {
  readonly rows: readonly unknown[];
  /** The number of processes that have answered, and the number of processes with connections. */
  readonly answered: number;
  readonly expected: number;
}

/** A part of an answer. The ID consists of the channel of the process that asks and the number of the question. */
interface Answer {
  readonly id: string;
  readonly from: string;
  readonly rows: readonly unknown[];
  readonly isLast: boolean;
}

/** A question that is waiting for answers. */
class Question {
  readonly rows: unknown[] = [];
  readonly #answered = new Set<string>();
  readonly #done = Promise.withResolvers<void>();
  #expected = Infinity;

  take({ from, rows, isLast }: Answer): void {
    this.rows.push(...rows);
    if (isLast) this.#answered.add(from);
    this.#check();
  }

  /** Waits for a number of processes. */
  async wait(expected: number, timeout: number): Promise<Answers> {
    this.#expected = expected;
    this.#check();
    const timer = setTimeout(this.#done.resolve, timeout);
    await this.#done.promise;
    clearTimeout(timer);
    const answered = this.#answered.size;
    return { rows: this.rows, answered, expected: Math.max(expected, answered) };
  }

  #check(): void {
    if (this.#answered.size >= this.#expected) this.#done.resolve();
  }
}

/** The number of servers with connections in this process, by hub and name. */
const locals = new WeakMap<Hub, Map<string, number>>();

/** The processes of a server. Those with connections answer questions. */
export class Cluster {
  readonly #hub: Hub;
  readonly #name: string;
  readonly #id = crypto.randomUUID().slice(0, 12);
  readonly #questions = new Map<string, Question>();
  #subscription: Subscription | undefined = undefined;
  #lastID = 0;

  constructor(hub: Hub, name: string) {
    this.#hub = hub;
    this.#name = name;
  }

  /** Records that this process has connections. */
  enter(): void {
    if (this.#isLocal) return this.#count(1);
    // The hub repeats this until it succeeds, and the subscriptions of the server report that it fails.
    this.#processes().Add(this.#id, null).catch(() => {});
  }

  /** Records that this process has no connections. */
  leave(): void {
    if (this.#isLocal) return this.#count(-1);
    this.#processes().Remove(this.#id).catch(() => {});
  }

  /**
   * Asks all processes with connections.
   *
   * @param publish Publishes the question with an ID.
   * @param timeout The maximum time to wait, in milliseconds.
   */
  async ask(publish: (id: string) => Awaitable<void>, timeout: number = ANSWER_MS): Promise<Answers> {
    const question = new Question();
    const id = `${this.#id}:${++this.#lastID}`;
    this.#questions.set(id, question);
    try {
      await this.#listen().attempted();
      const expected = this.#isLocal ? this.#countOf() : (await this.#processes().List()).length;
      await publish(id);
      return await question.wait(expected, timeout);
    } finally {
      this.#questions.delete(id);
      this.#unlistenIfUnused();
    }
  }

  /** Answers a question. A long answer has several parts. */
  answer(id: string, rows: readonly unknown[]): void {
    const channel = channelOf(String(id).split(":", 1)[0] ?? "");
    for (const { part, isLast } of partsOf(rows)) {
      const answer: Answer = { id, from: this.#id, rows: part, isLast };
      // The hub logs the failure.
      void publish(this.#hub, channel, payloadOf("answer", answer));
    }
  }

  get #isLocal(): boolean {
    return innerHub(this.#hub).backplane.IsLossless;
  }

  #processes(): RoomPresence {
    return innerHub(this.#hub).presence(this.#name, ROOM, "");
  }

  #count(change: number): void {
    const counts = locals.get(this.#hub) ?? new Map();
    locals.set(this.#hub, counts.set(this.#name, this.#countOf() + change));
  }

  #countOf(): number {
    return locals.get(this.#hub)?.get(this.#name) ?? 0;
  }

  #listen(): Subscription {
    return this.#subscription ??= new Subscription(innerHub(this.#hub), channelOf(this.#id), {
      receive: ({ data }) => this.#questions.get((data as Answer).id)?.take(data as Answer),
      missed() {},
    });
  }

  #unlistenIfUnused(): void {
    if (this.#questions.size > 0) return;
    this.#subscription?.stop();
    this.#subscription = undefined;
  }
}

function channelOf(process: string): string {
  return ownChannel("answers", process);
}

/** Splits rows into parts of a limited size. There is at least one part, which may be empty. */
function partsOf(rows: readonly unknown[]): { part: readonly unknown[]; isLast: boolean }[] {
  const parts: unknown[][] = [[]];
  let size = 0;
  for (const row of rows) {
    const { length } = JSON.stringify(row);
    if (size > 0 && size + length > PART_CHARACTERS) {
      parts.push([]);
      size = 0;
    }
    parts.at(-1)?.push(row);
    size += length;
  }
  return parts.map((part, at) => ({ part, isLast: at === parts.length - 1 }));
}
