/**
 * A WebSocket connection. It handles messages in order and ends exactly once.
 *
 * @module
 */

import { sleep } from "../../http/server/wait.ts";
import { setImmediate } from "node:timers";
import { AsyncContext } from "../../base/async/async_context.ts";
import { isThenable } from "../../base/async/thenable.ts";
import { type Context, exchangeOf } from "../../core/context/context.ts";
import type { User } from "../../core/context/user.ts";
import { watchOf } from "../../core/exchange/exchange.ts";
import { type StoppingApp, stoppingApps } from "../../core/exchange/peer/outer_call.ts";
import { clientNetwork } from "../../base/text/addresses.ts";
import { backlogOf, fits } from "../../state/store/rate.ts";
import { Asks, endedError } from "./asks.ts";
import type { Conn, ConnServer } from "./conn.ts";
import { KeptRequest } from "./kept_request.ts";
import type { Namespace } from "./namespace.ts";
import type { Settings } from "./options.ts";
import type { Codec, Message, Reader } from "./wire/codec.ts";
import { beginTurn, Outbox } from "./wire/outbox.ts";
import { Op, type Packet } from "./wire/packet.ts";
import { SlowReader } from "./wire/slow_reader.ts";
import type { Socket, SocketOwner } from "./wire/socket.ts";

/** The maximum time to wait for a running handler when a connection ends, in milliseconds. */
const END_MS = 5_000;
/** The interval for checking whether a client has read its messages, in milliseconds. */
const DRAIN_MS = 5;

/** The server that a connection reports to. */
export interface LinkHost {
  readonly settings: Settings;
  /** The server of the connection. */
  readonly server: ConnServer;
  /** The time on the server's clock, in milliseconds. */
  readonly now: number;
  /** Called when the connection opens. */
  opened(link: Link): unknown;
  /** Finds a namespace. */
  namespace(name: string): Namespace | undefined;
  /** Watches the identity of the connection if it expires. */
  watchIdentity(link: Link): void;
  /** Handles a packet. Returns a promise if the handler is asynchronous. Never throws. */
  handle(link: Link, packet: Packet): unknown;
  /** Logs an unexpected error. */
  fail(link: Link, act: string, error: unknown): void;
  /** Called once when the connection has ended, even if the client has not noticed yet. */
  ended(link: Link, code: number, reason: string): void;
  /** Called when the platform has released the socket. */
  released(link: Link): void;
}

/** A connection's state in one namespace. */
export interface NamespacePart extends Conn {
  /** Reports whether the connection is in a room, or was before it reconnected. */
  isIn(room: string): boolean;
  /** Whether the namespace has accepted the client. */
  readonly isAccepted: boolean;
  /** Defers a message until the client has been accepted. It must not receive the message if it is refused. */
  defer(send: () => void): void;
}

/** A WebSocket connection. */
export class Link implements SocketOwner {
  readonly id: string;
  readonly host: LinkHost;
  readonly #ctx: Context;
  readonly #kept: KeptRequest;
  /** The asynchronous context of the handshake. All handlers of the connection run in it. */
  readonly context: AsyncContext = new AsyncContext();
  readonly codec: Codec;
  readonly #read: Reader;
  /** The client's address, or its /64 network for IPv6. */
  readonly address: string;
  /** The namespaces that the client is connected to, usually one. */
  parts: readonly NamespacePart[] = [];
  user: User | undefined;
  sessionID = "";
  /** The time when the identity expires, as a Unix timestamp in milliseconds. */
  expiresAt: number = Infinity;
  isWarned = false;
  /** Stops waiting for the end of the session. */
  forgetSession: (() => void) | undefined = undefined;
  /** Whether the socket is open. */
  isOpen = false;
  /** The time of the last received message, on the server's clock. */
  heardAt = 0;
  /** The time of the last ping, on the server's clock. */
  pingedAt = 0;
  /** The connection's slots in the server's timer wheels. */
  idleSlot = -1;
  identitySlot = -1;
  /** The room positions that a reconnected client has sent. */
  positions: Map<string, readonly [epoch: string, offset: number]> | undefined = undefined;
  /** The last received messages that were sent to several rooms. */
  groups: Set<string> | undefined = undefined;
  #socket: Socket | undefined = undefined;
  #outbox: Outbox | undefined = undefined;
  #slow: SlowReader | undefined = undefined;
  #asks: Asks | undefined = undefined;
  #queue: Packet[] | undefined = undefined;
  #isBusy = false;
  #whenIdle: PromiseWithResolvers<void> | undefined = undefined;
  /** Resolves when the last room that waits for the client may send stored messages. */
  #draining: Promise<void> | undefined = undefined;
  #isEnded = false;
  #idleAt = 0;

  constructor(host: LinkHost, ctx: Context, codec: Codec) {
    this.id = crypto.randomUUID();
    this.host = host;
    this.#ctx = ctx;
    this.#kept = new KeptRequest(ctx);
    this.codec = codec;
    this.#read = codec.reader();
    this.address = clientNetwork(ctx.RemoteAddr());
    this.user = ctx.User();
  }

  /** Aborts the signal of the context, because the client has disconnected. */
  leave(): void {
    exchangeOf(this.#ctx).watch?.leave();
  }

  /** Returns the context of the handshake request. The context is restored if necessary. */
  get ctx(): Context {
    this.#kept.restore(this.#ctx);
    if (this.isEnded) watchOf(exchangeOf(this.#ctx)).leave();
    return this.#ctx;
  }

  /** Reports whether an application serves the connection, or has passed its handshake on. */
  isServedBy(app: StoppingApp): boolean {
    return stoppingApps(exchangeOf(this.#ctx).target).includes(app);
  }

  /** Attaches a socket that is not open yet. */
  use(socket: Socket): void {
    const { MaxBuffered: maxBuffered, Slow } = this.host.settings;
    const skipsSlow = Slow === "latest";
    this.#socket = socket;
    this.#slow = skipsSlow ? new SlowReader(this) : undefined;
    // Replies to a slow reader are queued beyond the limit, so they have a limit of their own.
    this.#outbox = new Outbox(socket, this, this.codec, skipsSlow ? 2 * maxBuffered : maxBuffered);
  }

  get isEnded(): boolean {
    return this.#isEnded;
  }

  /** Returns the number of bytes that the client has not read. */
  get buffered(): number {
    return this.#outbox?.unread ?? 0;
  }

  /** Reports whether a handler is running. */
  get isBusy(): boolean {
    return this.#isBusy;
  }

  /** Reports whether all messages have been handed to the platform. */
  get isFlushed(): boolean {
    return this.#outbox === undefined || this.#outbox.isEmpty;
  }

  /** Sends a packet if the codec can express it. */
  send(packet: Message): void {
    if (typeof packet === "string") this.#outbox?.push(packet);
    else if (packet instanceof Uint8Array) this.#outbox?.pushWhole(packet);
    else for (const message of packet ?? []) this.#outbox?.pushWhole(message);
  }

  /** Sends an event. A slow reader may miss it if a later event of the namespace has the same name. */
  sendLatest(packet: Message, namespace: string, event: string): void {
    if (this.#slow === undefined || !this.#slow.takes(packet, `${namespace}\n${event}`)) this.send(packet);
  }

  /** Sends a room message. A slow reader receives only the latest one, with a notice of the gap. */
  sendRoom(packet: Message, key: string, lost: () => string | undefined): void {
    if (this.#slow === undefined || !this.#slow.takes(packet, key, lost)) this.send(packet);
  }

  /** Sends a raw message, bypassing the event protocol. */
  sendNative(data: string | Uint8Array<ArrayBuffer>): void {
    if (this.codec.native !== undefined) return this.send(this.codec.native(data));
    this.#outbox?.pushWhole(data);
  }

  /** Sends an event and waits for the reply. */
  ask(namespace: string, event: string, data: unknown, timeout: number): Promise<unknown> {
    if (this.#isEnded) return Promise.reject(endedError(event));
    const asks = this.#asks ??= new Asks();
    const id = asks.newID();
    // Serialized first. If that fails, nothing must be left waiting for a reply.
    const packet = this.codec.event(id, namespace, event, data);
    const reply = asks.wait(id, event, timeout);
    this.send(packet);
    return reply;
  }

  opened(): void {
    this.heardAt = this.host.now;
    this.#kept.release(this.#ctx);
    this.#waitFor(this.host.opened(this));
  }

  received(data: string | ArrayBuffer): void {
    if (this.#isEnded) return;
    this.heardAt = this.host.now;
    const { MaxMessage: maxMessage } = this.host.settings;
    if (sizeOf(data, maxMessage) > maxMessage) return this.close(1009, "The message is too large");
    const packets = this.#parse(data);
    if (packets === undefined) return this.close(1007, "The message is malformed");
    try {
      for (const packet of packets) {
        if (this.#isEnded) return;
        this.#takePacket(packet);
      }
    } catch (error) {
      // The platform ends the process if a listener throws, so a defect must not cost more than one connection.
      this.host.fail(this, "Cannot handle a message:", error);
      this.close(1011, "Internal Server Error");
    }
  }

  closed(code: number, reason: string): void {
    this.end(code, reason);
    this.host.released(this);
  }

  /**
   * Closes the connection of a slow reader. A reader that never opens its TCP window cannot complete the closing
   * handshake, so the connection ends immediately, and the waiting messages are discarded.
   */
  overflowed(): void {
    this.#outbox?.close();
    this.close(1013, "The client reads too slowly");
  }

  caughtUp(): void {
    this.#slow?.caughtUp();
  }

  /** Closes the connection after the pending messages have been sent. */
  close(code: number, reason: string): void {
    if (this.#isEnded) return;
    if (isClosedByApplication(code)) {
      for (const { Namespace } of this.parts) this.send(this.codec.disconnected(Namespace));
    }
    this.#outbox?.finish();
    this.end(code, reason);
    this.#socket?.close(code, reason);
  }

  /**
   * Marks the connection as ended. Deno's `close` event may be dispatched twice or not at all, so it is not relied on.
   */
  end(code: number, reason: string): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#outbox?.close();
    this.#queue = undefined;
    this.#asks?.end();
    this.#asks = undefined;
    this.host.ended(this, code, reason);
  }

  /** Waits for the running handler to finish, for a limited time. */
  async idle(): Promise<void> {
    if (!this.#isBusy) return;
    this.#whenIdle ??= Promise.withResolvers();
    const timer = setTimeout(this.#whenIdle.resolve, END_MS);
    await this.#whenIdle.promise;
    clearTimeout(timer);
  }

  /**
   * Waits until the client has read enough to receive stored messages without being taken for a slow reader. The rooms
   * of a connection take turns, because together they would exceed the limit.
   *
   * @param size The size of the messages. If they are long, they wait until the client has read all earlier ones.
   */
  async drained(size: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const before = this.#draining;
    this.#draining = promise;
    await before;
    // The room before this one sends its messages in this tick.
    await new Promise((resolve) => setImmediate(resolve));
    const most = this.host.settings.MaxBuffered / 2;
    for (let unsent = this.#unsent; unsent > 0 && unsent + size > most; unsent = this.#unsent) await sleep(DRAIN_MS);
    if (this.#draining === promise) this.#draining = undefined;
    resolve();
  }

  get #unsent(): number {
    return this.#isEnded ? 0 : this.#outbox?.size ?? 0;
  }

  /** Calls `caughtUp` when the reader has caught up. */
  watch(): void {
    this.#outbox?.watch();
  }

  #parse(data: string | ArrayBuffer): readonly Packet[] | undefined {
    try {
      return this.#read(data);
    } catch {
      // Data may be nested so deeply that the stack overflows.
      return undefined;
    }
  }

  #takePacket(packet: Packet): void {
    const op = packet[0];
    // Replies bypass the queue, because the running handler may be waiting for one.
    const isReply = op === Op.Reply || op === Op.Failure;
    if (isReply && this.#asks?.settle(op, Number(packet[1]), packet[2])) return;
    if (op === Op.Close) return this.close(1000, "");
    if (op === Op.Ping && packet[1] === 1) return;
    // Expected replies and pongs are not limited, because the server determines their number.
    if (!this.#isInPace()) return this.close(1008, "Too many messages");
    if (op === Op.Ping) return this.send(this.codec.pong());
    if (!isReply) this.#take(packet);
  }

  #take(item: Packet): void {
    if (!this.#isBusy) return this.#run(item);
    const queue = this.#queue ??= [];
    if (queue.length >= this.host.settings.MaxQueued) return this.close(1008, "Too many queued messages");
    queue.push(item);
  }

  /** Runs a handler. The next one starts when it has finished. */
  #run(packet: Packet): void {
    beginTurn();
    this.#waitFor(this.host.handle(this, packet));
  }

  #waitFor(outcome: unknown): void {
    if (!isThenable(outcome)) return;
    this.#isBusy = true;
    const next = () => this.#next();
    outcome.then(next, next);
  }

  #next(): void {
    this.#isBusy = false;
    while (!this.#isBusy && !this.#isEnded) {
      const item = this.#queue?.shift();
      if (item === undefined) break;
      this.#run(item);
    }
    if (this.#queue?.length === 0) this.#queue = undefined;
    if (!this.#isBusy) this.#whenIdle?.resolve();
  }

  #isInPace(): boolean {
    const { pace } = this.host.settings;
    if (pace === undefined) return true;
    const now = Math.round(performance.now() * 1000);
    const backlog = backlogOf(pace, this.#idleAt, now);
    if (!fits(pace, backlog)) return false;
    this.#idleAt = now + backlog + pace.spacing;
    return true;
  }
}

/** Reports whether a close code belongs to the application, rather than to a limit, a timeout or a restart. */
function isClosedByApplication(code: number): boolean {
  return code === 1000 || code >= 3000;
}

/** Returns the size of a message in bytes. The result is exact only if the limit may be exceeded. */
function sizeOf(data: string | ArrayBuffer, limit: number): number {
  if (typeof data !== "string") return data.byteLength;
  // UTF-8 needs at most three bytes per UTF-16 code unit, so most messages do not have to be encoded to check the
  // limit.
  return data.length > limit || data.length * 3 <= limit ? data.length : new TextEncoder().encode(data).length;
}
