/**
 * Decides when the connections of this process hand messages to Deno.
 *
 * @module
 */

import { setImmediate } from "node:timers";

/**
 * The interval for checking waiting connections, in milliseconds. Deno does not signal when a buffer has been drained.
 */
const PUMP_MS = 2;
/**
 * The maximum number of messages and bytes handed to Deno before it may write them and handle other requests. Deno
 * copies every message and writes it in a separate task. More messages would delay requests and fragment the memory.
 */
const SLICE = 256;
const SLICE_BYTES = 512 << 10;

/** The framing of outgoing packets. */
export interface Framing {
  /** Whether several packets can share a message. */
  readonly joins: boolean;
  /** Joins packets into as few messages as possible, without exceeding the maximum message length. */
  parts(packets: string[]): string[];
}

/** The unsent messages of one connection. */
export interface Sender {
  /** Sends the packets of this tick. Returns the number of characters handed to Deno. */
  flush(): number;
  /** Hands waiting messages to Deno while its buffer has room. Returns their number of characters. */
  pump(): number;
  /** Reports whether the connection is checked in a round. Stalled connections are checked less often. */
  isDue(round: number): boolean;
}

/** Packets and the messages created from them. */
interface Framed {
  readonly framing: Framing;
  readonly packets: readonly string[];
  readonly parts: string[];
}

/** The schedule of all connections. */
export class SendSchedule {
  /**
   * The number of calls to handlers and of ticks. A client that does not read must not receive the long replies to many
   * requests as a single message, which may exceed the limit. Packets of different turns share a message only while it
   * is short.
   */
  turn = 1;
  #isTickWatched = false;
  /** The connections to flush at the end of this tick, and the ones that wait because there are too many. */
  #dirty: Sender[] = [];
  #delayed: Sender[] = [];
  /** The connections whose readers have not kept up, the timer that checks them, and the number of checks. */
  readonly #waiting = new Set<Sender>();
  #timer: ReturnType<typeof setTimeout> | undefined = undefined;
  #round = 0;
  /** The number of connections flushed immediately in this tick, and the number of characters. */
  #prompt = { count: 0, size: 0 };
  /**
   * The messages of a broadcast, which queues the same packets for many connections, so they are joined and split only
   * once. A long message is sent in several slices, with other messages in between, so it is stored separately.
   */
  #framed: { short?: Framed | undefined; long?: Framed | undefined } = {};

  /** Starts a turn after this tick. Messages are also sent without a call to a handler, for example by timers. */
  watchTick(): void {
    if (this.#isTickWatched) return;
    this.#isTickWatched = true;
    setImmediate(() => {
      this.#isTickWatched = false;
      this.turn++;
    });
  }

  /** Flushes a connection at the end of this tick, or immediately if `isPrompt`. */
  add(sender: Sender, isPrompt: boolean): void {
    const prompt = this.#prompt;
    // A broadcast to many connections is sent in slices.
    if (!isPrompt || prompt.count >= SLICE || prompt.size >= SLICE_BYTES) {
      // The messages that have arrived in one read are handled before the callback runs, so their replies share a
      // message. A microtask would run after the first of them.
      if (this.#dirty.push(sender) === 1) setImmediate(() => this.#flushDirty());
      return;
    }
    if (prompt.count++ === 0) setImmediate(() => this.#startTick());
    prompt.size += sender.flush();
  }

  /** Checks a connection until its reader has caught up. */
  wait(sender: Sender): void {
    this.#waiting.add(sender);
    this.#timer ??= setTimeout(() => this.#pump(), PUMP_MS);
  }

  /** Stops checking a connection. */
  leave(sender: Sender): void {
    this.#waiting.delete(sender);
    if (this.#waiting.size > 0) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /** Returns the messages for packets. */
  framed(framing: Framing, packets: string[]): string[] {
    const { short, long } = this.#framed;
    const known = isFramed(short, framing, packets) ? short : isFramed(long, framing, packets) ? long : undefined;
    if (known !== undefined) return known.parts;
    const parts = framing.parts(packets);
    this.#framed[parts.length === 1 ? "short" : "long"] = { framing, packets, parts };
    return parts;
  }

  #startTick(): void {
    this.#prompt = { count: 0, size: 0 };
    this.#forgetFramed();
  }

  #flushDirty(): void {
    const senders = this.#dirty;
    this.#dirty = [];
    const count = flushSlice(senders);
    if (count < senders.length) {
      if (this.#delayed.length === 0) setImmediate(() => this.#flushDelayed());
      this.#delayed = [...this.#delayed, ...senders.slice(count)];
    }
    this.#forgetFramed();
  }

  // A reply does not wait for the end of a broadcast, because its connection is flushed at the end of its own tick.
  #flushDelayed(): void {
    this.#delayed = this.#delayed.slice(flushSlice(this.#delayed));
    if (this.#delayed.length > 0) setImmediate(() => this.#flushDelayed());
    this.#forgetFramed();
  }

  #pump(): void {
    this.#round++;
    let size = 0;
    let left = this.#waiting.size;
    for (const sender of this.#waiting) {
      if (left-- === 0 || size >= SLICE_BYTES) break;
      if (!sender.isDue(this.#round)) continue;
      const sent = sender.pump();
      size += sent;
      // The next round starts with the other connections.
      if (sent > 0 && this.#waiting.delete(sender)) this.#waiting.add(sender);
    }
    const pause = size >= SLICE_BYTES ? 0 : PUMP_MS;
    this.#timer = this.#waiting.size > 0 ? setTimeout(() => this.#pump(), pause) : undefined;
  }

  #forgetFramed(): void {
    this.#framed.short = undefined;
    if (this.#delayed.length === 0) this.#framed.long = undefined;
  }
}

/** Flushes connections until Deno has enough to write. Returns their number. */
function flushSlice(senders: readonly Sender[]): number {
  const most = Math.min(senders.length, SLICE);
  let size = 0;
  let at = 0;
  while (at < most && size < SLICE_BYTES) size += senders[at++]?.flush() ?? 0;
  return at;
}

function isFramed(known: Framed | undefined, framing: Framing, packets: readonly string[]): known is Framed {
  if (known === undefined || known.framing !== framing || known.packets.length !== packets.length) return false;
  // Packets are compared from the end, because the difference is usually a reply after a broadcast. Equal strings of a
  // broadcast are the same object.
  for (let at = packets.length - 1; at >= 0; at--) if (known.packets[at] !== packets[at]) return false;
  return true;
}
