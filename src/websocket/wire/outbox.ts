/**
 * The queue of outgoing messages for one connection. It sends one message per tick, splits long messages and has a
 * limited size.
 *
 * @module
 */

import { setImmediate } from "node:timers";
import type { Socket } from "./socket.ts";

/**
 * The maximum number of bytes buffered in Deno per connection. Further messages wait here, where strings are shared.
 */
const HIGH = 32 << 10;
/**
 * The interval for checking waiting connections, in milliseconds. Deno does not signal when a buffer has been drained.
 */
const PUMP_MS = 2;
/** The interval for checking a stalled connection, as a power of two of the interval above. */
const STALLED = 5;
/**
 * The maximum number of messages and bytes handed to Deno before it may write them and handle other requests. Deno
 * copies every message and writes it in a separate task. More messages would delay requests and fragment the memory.
 */
const SLICE = 256;
const SLICE_BYTES = 512 << 10;

type Message = string | Uint8Array<ArrayBuffer>;

/** The framing of outgoing packets. */
export interface Framing {
  /** Whether several packets can share a message. */
  readonly joins: boolean;
  /** Joins packets into as few messages as possible, without exceeding the maximum message length. */
  parts(packets: string[]): string[];
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
  #pendingSize = 0;
  /** The turn of the last pending packet. */
  #turn = 0;
  /** The turn in which messages were last queued, and their number of characters and bytes. */
  #queuedTurn = 0;
  #queuedSize = 0;
  /** The size of the longest turn that exceeds the limit by itself, until the reader has caught up. */
  #longest = 0;
  /** The queued messages. Those before the index have been sent. */
  #backlog: Message[] | undefined = undefined;
  #sent = 0;
  #backlogSize = 0;
  /** Whether other connections have the same backlog, as after a broadcast. */
  #isShared = false;
  /** The number of checks since the reader last read something, up to a limit. */
  #misses = 0;
  /** The maximum number of bytes that Deno may have buffered. */
  #handed = 0;
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
    return this.#pendingSize + this.unread;
  }

  /** Returns the number of unsent bytes without the packets of this tick, which the reader could not have read yet. */
  get unread(): number {
    return this.#backlogSize + this.#socket.buffered;
  }

  /** Reports whether all messages have been handed to Deno. */
  get isEmpty(): boolean {
    return this.#pending === undefined && this.#backlog === undefined;
  }

  /** Sends a packet together with the other packets of the same tick, or alone if packets cannot share a message. */
  push(packet: string): void {
    if (this.#isDone) return;
    const { length } = packet;
    if (this.#pending !== undefined) {
      if (this.#pendingSize < HIGH || this.#turn === turn) {
        this.#pending.push(packet);
        this.#pendingSize += length;
        this.#turn = turn;
        return;
      }
      this.flush();
      if (this.#isDone) return;
    }
    this.#pending = [packet];
    this.#pendingSize = length;
    this.#turn = turn;
    // Waiting would have no benefit, and a reply would be lost if the client's close frame arrives in the same read.
    if (!this.framing.joins && hasRoom()) flushNow(this);
    else schedule(this);
  }

  /** Sends a message unchanged, after the packets queued before it. */
  pushWhole(message: Message): void {
    if (this.#isDone) return;
    this.flush();
    this.#send(message);
    this.#check(message.length);
  }

  /** Notifies the owner when the reader has caught up. */
  watch(): void {
    waitFor(this);
  }

  /** Sends the packets of this tick. Returns the number of characters handed to Deno. */
  flush(): number {
    const packets = this.#pending;
    const pendingSize = this.#pendingSize;
    this.#pending = undefined;
    this.#pendingSize = 0;
    if (packets === undefined || this.#isDone) return 0;
    const parts = framed(this.framing, packets);
    // There is usually only one short message, and the reader keeps up.
    if (parts.length === 1 && this.#backlog === undefined && this.#hasRoom()) {
      const part = parts[0] ?? "";
      this.#hand(part);
      return part.length;
    }
    const size = this.#backlog === undefined ? this.#begin(parts) : this.#append(parts);
    this.#check(pendingSize);
    return size;
  }

  /** Hands all messages to Deno, because the connection is about to close. */
  finish(): void {
    this.flush();
    for (const message of this.#backlog?.slice(this.#sent) ?? []) this.#socket.send(message);
    this.close();
  }

  /** Discards all messages because the connection has ended. */
  close(): void {
    this.#isDone = true;
    this.#pending = this.#backlog = undefined;
    this.#backlogSize = this.#pendingSize = 0;
    waiting.delete(this);
    if (waiting.size > 0) return;
    clearTimeout(pumping);
    pumping = undefined;
  }

  /** Reports whether the connection is checked in a round. Stalled connections are checked less often. */
  isDue(round: number): boolean {
    return round % 2 ** this.#misses === 0;
  }

  /** Hands waiting messages to Deno while its buffer has room. Returns their number of characters. */
  pump(): number {
    const backlog = this.#backlog;
    if (backlog === undefined) return this.#catchUp();
    const before = this.#sent;
    let size = 0;
    while (this.#sent < backlog.length && this.#hasRoom()) {
      const message = backlog[this.#sent++] ?? "";
      size += message.length;
      this.#hand(message);
    }
    this.#wait(this.#sent === before);
    this.#backlogSize -= size;
    if (this.#sent === backlog.length) this.#backlog = undefined;
    else if (this.#sent > backlog.length / 2) this.#forgetSent(backlog);
    return size;
  }

  #forgetSent(backlog: Message[]): void {
    if (this.#isShared) return;
    backlog.splice(0, this.#sent);
    this.#sent = 0;
  }

  #catchUp(): number {
    this.#wait(this.#socket.buffered > this.#high / 2);
    if (this.#misses > 0) return 0;
    this.#owner.caughtUp();
    if (this.#backlog === undefined) waiting.delete(this);
    return 0;
  }

  #wait(isStalled: boolean): void {
    this.#misses = isStalled ? Math.min(this.#misses + 1, STALLED) : 0;
  }

  /** Sends a message, or queues it if Deno's buffer is full. */
  #send(message: Message): void {
    if (this.#backlog === undefined && this.#hasRoom()) this.#hand(message);
    else this.#append([message]);
  }

  /**
   * Reports whether Deno's buffer has room. Its size is requested only if the messages sent since the last request may
   * have filled it, because a request takes a tenth of the time of sending.
   */
  #hasRoom(): boolean {
    if (this.#handed >= this.#high) this.#handed = this.#socket.buffered;
    return this.#handed < this.#high;
  }

  #hand(message: Message): void {
    // UTF-8 needs up to three bytes per UTF-16 code unit.
    this.#handed += 3 * message.length;
    this.#socket.send(message);
  }

  /** Starts a backlog with messages that other connections may share, and sends the first of them. */
  #begin(parts: Message[]): number {
    this.#backlog = parts;
    this.#sent = 0;
    this.#isShared = true;
    for (const { length } of parts) this.#backlogSize += length;
    const size = this.pump();
    if (this.#backlog !== undefined) waitFor(this);
    return size;
  }

  #append(messages: readonly Message[]): number {
    const backlog = this.#ownBacklog();
    for (const message of messages) {
      backlog.push(message);
      this.#backlogSize += message.length;
    }
    waitFor(this);
    return 0;
  }

  /** Returns the backlog as an array that no other connection has. */
  #ownBacklog(): Message[] {
    if (this.#backlog !== undefined && !this.#isShared) return this.#backlog;
    const own = this.#backlog?.slice(this.#sent) ?? [];
    this.#sent = 0;
    this.#isShared = false;
    return this.#backlog = own;
  }

  /**
   * Checks the limit. The messages of a single turn may exceed it, because even a prompt reader has had no time to read
   * them. Until they have been read, the limit applies to the messages after them.
   *
   * @param added The number of characters and bytes that were queued.
   */
  #check(added: number): void {
    this.#queuedSize = this.#queuedTurn === turn ? this.#queuedSize + added : added;
    this.#queuedTurn = turn;
    watchTick();
    const { unread } = this;
    if (unread <= this.#most) return void (this.#longest = 0);
    if (this.#queuedSize > this.#most) this.#longest = Math.max(this.#longest, this.#queuedSize);
    if (unread > this.#most + this.#longest && !this.#isDone) this.#owner.overflowed();
  }
}

/**
 * The number of calls to handlers and of ticks. A client that does not read must not receive the long replies to many
 * requests as a single message, which may exceed the limit. Packets of different turns share a message only while it is
 * short.
 */
let turn = 1;
let isTickWatched = false;

/** Starts a turn. Must be called before each call to a handler. */
export function beginTurn(): void {
  turn++;
}

/** Starts a turn after this tick. Messages are also sent without a call to a handler, for example by timers. */
function watchTick(): void {
  if (isTickWatched) return;
  isTickWatched = true;
  setImmediate(endTick);
}

function endTick(): void {
  isTickWatched = false;
  turn++;
}

/** The connections to flush at the end of this tick, and the ones that wait because there are too many. */
let dirty: Outbox[] = [];
let delayed: Outbox[] = [];
const waiting = new Set<Outbox>();
let pumping: ReturnType<typeof setTimeout> | undefined;

function schedule(outbox: Outbox): void {
  // The messages that have arrived in one read are handled before the callback runs, so their replies share a message.
  // A microtask would run after the first of them.
  if (dirty.push(outbox) === 1) setImmediate(flushDirty);
}

/** The number of connections flushed immediately in this tick, and the number of characters. */
let promptCount = 0;
let promptSize = 0;

/** Reports whether a connection may be flushed immediately. A broadcast to many connections is sent in slices. */
function hasRoom(): boolean {
  return promptCount < SLICE && promptSize < SLICE_BYTES;
}

function flushNow(outbox: Outbox): void {
  if (promptCount++ === 0) setImmediate(resetPrompt);
  promptSize += outbox.flush();
}

function resetPrompt(): void {
  promptCount = promptSize = 0;
  forgetFramed();
}

function flushDirty(): void {
  const outboxes = dirty;
  dirty = [];
  const count = flushSlice(outboxes);
  if (count < outboxes.length) {
    if (delayed.length === 0) setImmediate(flushDelayed);
    delayed = [...delayed, ...outboxes.slice(count)];
  }
  forgetFramed();
}

// A reply does not wait for the end of a broadcast, because its connection is flushed at the end of its own tick.
function flushDelayed(): void {
  delayed = delayed.slice(flushSlice(delayed));
  if (delayed.length > 0) setImmediate(flushDelayed);
  forgetFramed();
}

/** Flushes connections until Deno has enough to write. Returns their number. */
function flushSlice(outboxes: readonly Outbox[]): number {
  const most = Math.min(outboxes.length, SLICE);
  let size = 0;
  let at = 0;
  while (at < most && size < SLICE_BYTES) size += outboxes[at++]?.flush() ?? 0;
  return at;
}

function waitFor(outbox: Outbox): void {
  waiting.add(outbox);
  pumping ??= setTimeout(pumpAll, PUMP_MS);
}

let round = 0;

function pumpAll(): void {
  round++;
  let size = 0;
  let left = waiting.size;
  for (const outbox of waiting) {
    if (left-- === 0 || size >= SLICE_BYTES) break;
    if (!outbox.isDue(round)) continue;
    const sent = outbox.pump();
    size += sent;
    // The next round starts with the other connections.
    if (sent > 0 && waiting.delete(outbox)) waiting.add(outbox);
  }
  const pause = size >= SLICE_BYTES ? 0 : PUMP_MS;
  pumping = waiting.size > 0 ? setTimeout(pumpAll, pause) : undefined;
}

/** Packets and the messages created from them. */
interface Framed {
  readonly framing: Framing;
  readonly packets: readonly string[];
  readonly parts: string[];
}

// A broadcast queues the same packets for many connections, so they are joined and split only once. A long message is
// sent in several slices, with other messages in between, so it is stored separately.
let last: Framed | undefined;
let lastLong: Framed | undefined;

function framed(framing: Framing, packets: string[]): string[] {
  const known = isFramed(last, framing, packets) ? last : isFramed(lastLong, framing, packets) ? lastLong : undefined;
  if (known !== undefined) return known.parts;
  const parts = framing.parts(packets);
  if (parts.length === 1) last = { framing, packets, parts };
  else lastLong = { framing, packets, parts };
  return parts;
}

function forgetFramed(): void {
  last = undefined;
  if (delayed.length === 0) lastLong = undefined;
}

function isFramed(known: Framed | undefined, framing: Framing, packets: readonly string[]): known is Framed {
  if (known === undefined || known.framing !== framing || known.packets.length !== packets.length) return false;
  // Packets are compared from the end, because the difference is usually a reply after a broadcast. Equal strings of a
  // broadcast are the same object.
  for (let at = packets.length - 1; at >= 0; at--) if (known.packets[at] !== packets[at]) return false;
  return true;
}
