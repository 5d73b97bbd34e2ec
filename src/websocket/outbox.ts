/**
 * The queue of outgoing messages for one connection. It sends one message per tick, splits long messages and has a
 * limited size.
 *
 * @module
 */

import type { Socket } from "./socket.ts";

/**
 * The maximum number of bytes buffered in Deno per connection. Further messages wait here, where strings are shared.
 */
const HIGH = 32 << 10;
/**
 * The interval for checking waiting connections, in milliseconds. Deno does not signal when a buffer has been drained.
 */
const PUMP_MS = 2;
/** The maximum duration of one flush before other requests are handled, in milliseconds. */
const SLICE_MS = 8;
/** The number of connections to flush between two checks of the clock. */
const SLICE = 256;

type Message = string | Uint8Array<ArrayBuffer>;

/** The framing of outgoing packets. */
export interface Framing {
  /** Joins packets into as few messages as possible, without exceeding the maximum message length. */
  parts(packets: readonly string[]): readonly string[];
}

/** The owner of an outbox. */
export interface OutboxOwner {
  /** Called when the reader has not kept up. */
  overflowed(): void;
  /** Called when the reader has caught up after an overflow. */
  caughtUp(): void;
}

/** The unsent messages of one connection. */
export class Outbox {
  readonly #socket: Socket;
  readonly #owner: OutboxOwner;
  readonly framing: Framing;
  readonly #most: number;
  readonly #high: number;
  #pending: string[] | undefined = undefined;
  #backlog: Message[] | undefined = undefined;
  #backlogSize = 0;
  #isDone = false;

  constructor(socket: Socket, owner: OutboxOwner, framing: Framing, most: number) {
    this.#socket = socket;
    this.#owner = owner;
    this.framing = framing;
    this.#most = most;
    this.#high = Math.min(HIGH, most);
  }

  /** Returns the number of unsent bytes, here and in Deno. */
  get size(): number {
    return this.#backlogSize + this.#socket.buffered;
  }

  /** Reports whether all messages have been handed to Deno. */
  get isEmpty(): boolean {
    return this.#pending === undefined && this.#backlog === undefined;
  }

  /** Queues a packet, which is sent together with the other packets of the same tick. */
  push(packet: string): void {
    if (this.#isDone) return;
    if (this.#pending !== undefined) {
      this.#pending.push(packet);
      return;
    }
    this.#pending = [packet];
    schedule(this);
  }

  /** Sends a message unchanged, after the packets queued before it. */
  pushWhole(message: Message): void {
    if (this.#isDone) return;
    this.flush();
    const before = this.size;
    this.#send(message);
    this.#check(before);
  }

  /** Notifies the owner when the reader has caught up. */
  watch(): void {
    waitFor(this);
  }

  /** Sends the packets of this tick. */
  flush(): void {
    const packets = this.#pending;
    this.#pending = undefined;
    if (packets === undefined || this.#isDone) return;
    const parts = framed(this.framing, packets);
    // There is usually only one short message, and the reader keeps up, so the platform's buffer size is read only
    // once.
    const { buffered } = this.#socket;
    if (parts.length === 1 && this.#backlog === undefined && buffered < this.#high) {
      return this.#socket.send(parts[0] ?? "");
    }
    const before = buffered + this.#backlogSize;
    for (const part of parts) this.#send(part);
    this.#check(before);
  }

  /** Discards all messages because the connection has ended. */
  close(): void {
    this.#isDone = true;
    this.#pending = this.#backlog = undefined;
    this.#backlogSize = 0;
    waiting.delete(this);
    if (waiting.size > 0) return;
    clearTimeout(pumping);
    pumping = undefined;
  }

  /** Hands waiting messages to Deno until its buffer is full. Reports whether the queue is empty. */
  pump(): boolean {
    const backlog = this.#backlog;
    if (backlog === undefined) {
      if (this.#socket.buffered > this.#high / 2) return false;
      this.#owner.caughtUp();
      return this.#backlog === undefined;
    }
    let sent = 0;
    while (sent < backlog.length && this.#socket.buffered < this.#high) {
      const message = backlog[sent++] ?? "";
      this.#backlogSize -= message.length;
      this.#socket.send(message);
    }
    this.#backlog = sent === backlog.length ? undefined : backlog.slice(sent);
    return false;
  }

  #send(message: Message): void {
    if (this.#backlog === undefined && this.#socket.buffered < this.#high) return this.#socket.send(message);
    (this.#backlog ??= []).push(message);
    this.#backlogSize += message.length;
    waitFor(this);
  }

  /**
   * Checks the limit. A single message may exceed it, because a reader is slow only if earlier messages are still
   * waiting.
   */
  #check(before: number): void {
    if (before > 0 && this.size > this.#most && !this.#isDone) this.#owner.overflowed();
  }
}

let dirty: Outbox[] = [];
const waiting = new Set<Outbox>();
let isScheduled = false;
/** A resolved promise. It is cheaper than `queueMicrotask`, which wraps its callback. */
const ready: Promise<void> = Promise.resolve();
let pumping: ReturnType<typeof setTimeout> | undefined;

function schedule(outbox: Outbox): void {
  dirty.push(outbox);
  if (isScheduled) return;
  isScheduled = true;
  void ready.then(flushAll);
}

function flushAll(): void {
  const outboxes = dirty;
  dirty = [];
  const end = outboxes.length > SLICE ? performance.now() + SLICE_MS : 0;
  for (let at = 0; at < outboxes.length; at++) {
    outboxes[at]?.flush();
    if (end > 0 && at % SLICE === SLICE - 1 && performance.now() > end) {
      dirty = [...outboxes.slice(at + 1), ...dirty];
      setTimeout(flushAll, 0);
      return;
    }
  }
  lastPackets = undefined;
  isScheduled = dirty.length > 0;
  if (isScheduled) void ready.then(flushAll);
}

function waitFor(outbox: Outbox): void {
  waiting.add(outbox);
  pumping ??= setTimeout(pumpAll, PUMP_MS);
}

function pumpAll(): void {
  for (const outbox of waiting) if (outbox.pump()) waiting.delete(outbox);
  pumping = waiting.size > 0 ? setTimeout(pumpAll, PUMP_MS) : undefined;
}

// A broadcast queues the same packets for many connections, so they are joined and split only once.
let lastPackets: readonly string[] | undefined;
let lastFraming: Framing | undefined;
let lastParts: readonly string[] = [];

function framed(framing: Framing, packets: readonly string[]): readonly string[] {
  if (lastPackets === undefined || framing !== lastFraming || !areSame(lastPackets, packets)) {
    lastParts = framing.parts(packets);
    lastPackets = packets;
    lastFraming = framing;
  }
  return lastParts;
}

function areSame(a: readonly string[], b: readonly string[]): boolean {
  if (a.length !== b.length) return false;
  // Compare from the end, because the difference is usually a reply after a broadcast. Equal strings of a broadcast are
  // the same object.
  for (let at = a.length - 1; at >= 0; at--) if (a[at] !== b[at]) return false;
  return true;
}
