/**
 * What waits to be sent to one connection: one message per tick, in parts, within a bound.
 *
 * @module
 */

import type { Socket } from "./socket.ts";

/** How many bytes Deno may hold for one connection before further ones wait here, where texts are shared. */
const HIGH = 32 << 10;
/** How often the connections that wait are looked at, in milliseconds: Deno does not tell when a buffer is empty. */
const PUMP_MS = 2;
/** How long one flush may take before requests get their turn, in milliseconds. */
const SLICE_MS = 8;
/** After how many connections the time is looked at. */
const SLICE = 256;

type Message = string | Uint8Array<ArrayBuffer>;

/** How messages look on the wire. */
export interface Framing {
  /** Gathers packets in as few messages as possible, none of them long. */
  parts(packets: readonly string[]): readonly string[];
}

/** What an outbox needs of its connection. */
export interface OutboxOwner {
  /** The reader has not kept up. */
  overflowed(): void;
  /** The reader has caught up after an overflow. */
  caughtUp(): void;
}

/** The messages of one connection that have not been sent. */
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

  /** How many bytes wait, here and in Deno. */
  get size(): number {
    return this.#backlogSize + this.#socket.buffered;
  }

  /** Whether everything has been handed to Deno. */
  get isEmpty(): boolean {
    return this.#pending === undefined && this.#backlog === undefined;
  }

  /** Sends a packet with those of the same tick. */
  push(packet: string): void {
    if (this.#isDone) return;
    if (this.#pending !== undefined) {
      this.#pending.push(packet);
      return;
    }
    this.#pending = [packet];
    schedule(this);
  }

  /** Sends a message as it is, after the packets before it. */
  pushWhole(message: Message): void {
    if (this.#isDone) return;
    this.flush();
    const before = this.size;
    this.#send(message);
    this.#check(before);
  }

  /** Reports to its owner when the reader has caught up. */
  watch(): void {
    waitFor(this);
  }

  /** Sends the packets of this tick. */
  flush(): void {
    const packets = this.#pending;
    this.#pending = undefined;
    if (packets === undefined || this.#isDone) return;
    const parts = framed(this.framing, packets);
    // Most are one short message to a reader that keeps up: what the platform holds is asked for once.
    const { buffered } = this.#socket;
    if (parts.length === 1 && this.#backlog === undefined && buffered < this.#high) {
      return this.#socket.send(parts[0] ?? "");
    }
    const before = buffered + this.#backlogSize;
    for (const part of parts) this.#send(part);
    this.#check(before);
  }

  /** Drops everything: the connection has ended. */
  close(): void {
    this.#isDone = true;
    this.#pending = this.#backlog = undefined;
    this.#backlogSize = 0;
    waiting.delete(this);
    if (waiting.size > 0) return;
    clearTimeout(pumping);
    pumping = undefined;
  }

  /** Hands on what waits, as far as Deno has room; reports whether nothing is left. */
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

  /** One message may be longer than the bound: a reader is slow if others waited before it. */
  #check(before: number): void {
    if (before > 0 && this.size > this.#most && !this.#isDone) this.#owner.overflowed();
  }
}

let dirty: Outbox[] = [];
const waiting = new Set<Outbox>();
let isScheduled = false;
/** Cheaper than `queueMicrotask`, which wraps what it is given. */
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

// A broadcast gives many connections the same packets: they are joined and cut once.
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
  // From the end: what differs is mostly a reply after a broadcast. Equal texts of a broadcast are one object.
  for (let at = a.length - 1; at >= 0; at--) if (a[at] !== b[at]) return false;
  return true;
}
