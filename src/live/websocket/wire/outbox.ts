/**
 * The queue of outgoing messages for one connection. It sends one message per tick, splits long messages and has a
 * limited size.
 *
 * @module
 */

import { type Framing, type Sender, SendSchedule } from "./send_schedule.ts";
import type { Socket } from "./socket.ts";

/**
 * The maximum number of bytes buffered in Deno per connection. Further messages wait here, where strings are shared.
 */
const HIGH = 32 << 10;
/** The interval for checking a stalled connection, as a power of two of the usual interval. */
const STALLED = 5;

type Message = string | Uint8Array<ArrayBuffer>;

/** The owner of an outbox. */
export interface OutboxOwner {
  /** Called when the reader has not kept up. */
  overflowed(): void;
  /** Called when the reader has caught up after an overflow. */
  caughtUp(): void;
}

/** The schedule of this process. */
const schedule = new SendSchedule();

/** Starts a turn. Must be called before each call to a handler. */
export function beginTurn(): void {
  schedule.turn++;
}

/** The messages that wait for the reader. */
interface Backlog {
  readonly is: "backlog";
  /** The queued messages. Those before the index have been sent. */
  readonly messages: Message[];
  sent: number;
  size: number;
  /** Whether other connections have the same messages, as after a broadcast. */
  readonly isShared: boolean;
}

/**
 * The states of an outbox. It is idle while all messages have been handed to Deno, and ended after the connection.
 *
 * ```text
 * idle ←→ backlog
 * idle, backlog ─→ ended
 * ```
 */
type State = { readonly is: "idle" } | Backlog | { readonly is: "ended" };

const idle: State = Object.freeze({ is: "idle" });
const ended: State = Object.freeze({ is: "ended" });

/** The packets of one tick, and the turn of the last one. */
interface Pending {
  readonly packets: string[];
  size: number;
  turn: number;
}

/** The unsent messages of one connection. */
export class Outbox implements Sender {
  readonly #socket: Socket;
  readonly #owner: OutboxOwner;
  readonly framing: Framing;
  readonly #most: number;
  readonly #high: number;
  #state: State = idle;
  #pending: Pending | undefined = undefined;
  /** The turn in which messages were last queued, and their number of characters and bytes. */
  #queuedTurn = 0;
  #queuedSize = 0;
  /** The size of the longest turn that exceeds the limit by itself, until the reader has caught up. */
  #longest = 0;
  /** The number of checks since the reader last read something, up to a limit. */
  #misses = 0;
  /** The maximum number of bytes that Deno may have buffered. */
  #handed = 0;

  constructor(socket: Socket, owner: OutboxOwner, framing: Framing, most: number) {
    this.#socket = socket;
    this.#owner = owner;
    this.framing = framing;
    this.#most = most;
    this.#high = Math.min(HIGH, most);
  }

  /** Returns the number of unsent bytes, here and in Deno. */
  get size(): number {
    return (this.#pending?.size ?? 0) + this.unread;
  }

  /** Returns the number of unsent bytes without the packets of this tick, which the reader could not have read yet. */
  get unread(): number {
    return (this.#state.is === "backlog" ? this.#state.size : 0) + this.#socket.buffered;
  }

  /** Reports whether all messages have been handed to Deno. */
  get isEmpty(): boolean {
    return this.#pending === undefined && this.#state.is !== "backlog";
  }

  /** Sends a packet together with the other packets of the same tick, or alone if packets cannot share a message. */
  push(packet: string): void {
    const { turn } = schedule;
    const pending = this.#pending;
    if (pending !== undefined) {
      if (pending.size < HIGH || pending.turn === turn) {
        pending.packets.push(packet);
        pending.size += packet.length;
        pending.turn = turn;
        return;
      }
      this.flush();
    }
    if (this.#state.is === "ended") return;
    this.#pending = { packets: [packet], size: packet.length, turn };
    // Waiting would have no benefit, and a reply would be lost if the client's close frame arrives in the same read.
    schedule.add(this, !this.framing.joins);
  }

  /** Sends a message unchanged, after the packets queued before it. */
  pushWhole(message: Message): void {
    this.flush();
    if (this.#state.is === "ended") return;
    if (this.#state.is === "idle" && this.#hasRoom()) this.#hand(message);
    else this.#queue([message]);
    this.#check(message.length);
  }

  /** Notifies the owner when the reader has caught up. */
  watch(): void {
    schedule.wait(this);
  }

  flush(): number {
    const pending = this.#pending;
    this.#pending = undefined;
    if (pending === undefined) return 0;
    const parts = schedule.framed(this.framing, pending.packets);
    let sent = 0;
    if (this.#state.is === "backlog") {
      this.#queue(parts);
    } else if (parts.length === 1 && this.#hasRoom()) {
      // There is usually only one short message, and the reader keeps up.
      const part = parts[0] ?? "";
      this.#hand(part);
      return part.length;
    } else {
      // Other connections may share the messages.
      this.#state = { is: "backlog", messages: parts, sent: 0, size: sizeOf(parts), isShared: true };
      sent = this.pump();
      if (!this.isEmpty) schedule.wait(this);
    }
    this.#check(pending.size);
    return sent;
  }

  /** Hands all messages to Deno, because the connection is about to close. */
  finish(): void {
    this.flush();
    const state = this.#state;
    if (state.is === "backlog") { for (const message of state.messages.slice(state.sent)) this.#socket.send(message); }
    this.close();
  }

  /** Discards all messages because the connection has ended. */
  close(): void {
    this.#state = ended;
    this.#pending = undefined;
    schedule.leave(this);
  }

  isDue(round: number): boolean {
    return round % 2 ** this.#misses === 0;
  }

  pump(): number {
    const state = this.#state;
    if (state.is !== "backlog") return this.#catchUp();
    const { messages, sent } = state;
    let size = 0;
    while (state.sent < messages.length && this.#hasRoom()) {
      const message = messages[state.sent++] ?? "";
      size += message.length;
      this.#hand(message);
    }
    this.#wait(state.sent === sent);
    state.size -= size;
    // Sending may have ended the connection.
    if (state.sent === messages.length) this.#state = this.#state === state ? idle : this.#state;
    else if (state.sent > messages.length / 2 && !state.isShared) messages.splice(0, state.sent), state.sent = 0;
    return size;
  }

  #catchUp(): number {
    this.#wait(this.#socket.buffered > this.#high / 2);
    if (this.#misses > 0) return 0;
    this.#owner.caughtUp();
    if (this.#state.is !== "backlog") schedule.leave(this);
    return 0;
  }

  #wait(isStalled: boolean): void {
    this.#misses = isStalled ? Math.min(this.#misses + 1, STALLED) : 0;
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

  /** Adds messages to the backlog, in an array that no other connection has. */
  #queue(added: readonly Message[]): void {
    const state = this.#state;
    if (state.is === "backlog" && !state.isShared) {
      for (const message of added) state.messages.push(message);
      state.size += sizeOf(added);
    } else {
      const messages = state.is === "backlog" ? [...state.messages.slice(state.sent), ...added] : [...added];
      this.#state = { is: "backlog", messages, sent: 0, size: sizeOf(messages), isShared: false };
    }
    schedule.wait(this);
  }

  /**
   * Checks the limit. The messages of a single turn may exceed it, because even a prompt reader has had no time to read
   * them. Until they have been read, the limit applies to the messages after them.
   *
   * @param added The number of characters and bytes that were queued.
   */
  #check(added: number): void {
    const { turn } = schedule;
    this.#queuedSize = this.#queuedTurn === turn ? this.#queuedSize + added : added;
    this.#queuedTurn = turn;
    schedule.watchTick();
    const { unread } = this;
    if (unread <= this.#most) return void (this.#longest = 0);
    if (this.#queuedSize > this.#most) this.#longest = Math.max(this.#longest, this.#queuedSize);
    if (unread > this.#most + this.#longest && this.#state.is !== "ended") this.#owner.overflowed();
  }
}

function sizeOf(messages: readonly Message[]): number {
  return messages.reduce((size, { length }) => size + length, 0);
}
