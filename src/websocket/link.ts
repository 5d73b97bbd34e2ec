/**
 * A connection: its socket, its messages in order, and its one end.
 *
 * @module
 */

import { FrameworkError } from "../base/errors.ts";
import { isThenable } from "../base/thenable.ts";
import type { Context } from "../context/context.ts";
import type { User } from "../context/user.ts";
import { backlogOf, fits } from "../store/rate.ts";
import type { Codec, Failure, Message, Reader } from "./codec.ts";
import type { Settings } from "./options.ts";
import { KeptRequest } from "./kept_request.ts";
import { Outbox } from "./outbox.ts";
import { Op, type Packet } from "./packet.ts";
import { SlowReader } from "./slow_reader.ts";
import type { Socket, SocketOwner } from "./socket.ts";

/** How long the end of a connection waits for the handler that still runs, in milliseconds. */
const END_MS = 5_000;

/** What a connection reports to: its server. */
export interface LinkHost {
  readonly settings: Settings;
  /** The connection is open. */
  opened(link: Link): unknown;
  /** Handles a packet; returns a promise if that takes time. It does not throw. */
  handle(link: Link, packet: Packet): unknown;
  /** The connection has ended, whether or not the client knows. Called once. */
  ended(link: Link, code: number, reason: string): void;
  /** The platform has let go of the socket. Called at most once. */
  released(link: Link): void;
}

/** One namespace of a connection. */
export interface NamespacePart {
  readonly Namespace: string;
}

/** A question to the client that has no reply yet. */
interface Asked {
  readonly resolve: (data: unknown) => void;
  readonly reject: (error: Error) => void;
  readonly timer: ReturnType<typeof setTimeout>;
}

/** One connection. */
export class Link implements SocketOwner {
  readonly id: string;
  readonly host: LinkHost;
  readonly #ctx: Context;
  readonly #kept: KeptRequest;
  readonly codec: Codec;
  readonly #read: Reader;
  readonly address: string;
  /** The namespaces that the client is connected to: mostly one. */
  parts: readonly NamespacePart[] = [];
  user: User | undefined;
  sessionID = "";
  /** When the identity expires, in milliseconds since 1970. */
  expiresAt: number = Infinity;
  isWarned = false;
  /** Whether the platform has opened the socket. */
  isOpen = false;
  /** When the last message arrived, on the clock of `performance.now()`. */
  heardAt: number = performance.now();
  /** When the last ping was sent. */
  pingedAt = 0;
  /** Its places in the wheels of the server. */
  idleSlot = -1;
  identitySlot = -1;
  /** Where a client that has reconnected was in its rooms. */
  positions: Map<string, readonly [epoch: string, offset: number]> | undefined = undefined;
  #socket: Socket | undefined = undefined;
  #outbox: Outbox | undefined = undefined;
  #slow: SlowReader | undefined = undefined;
  #asks: Map<number, Asked> | undefined = undefined;
  #lastAsk = 0;
  #queue: Packet[] | undefined = undefined;
  #isBusy = false;
  #whenIdle: PromiseWithResolvers<void> | undefined = undefined;
  #isEnded = false;
  #isReleased = false;
  #idleAt = 0;

  constructor(host: LinkHost, ctx: Context, codec: Codec) {
    this.id = crypto.randomUUID();
    this.host = host;
    this.#ctx = ctx;
    this.#kept = new KeptRequest(ctx);
    this.codec = codec;
    this.#read = codec.reader();
    this.address = ctx.RemoteAddr();
    this.user = ctx.User();
  }

  /** The request of the handshake, as it was. */
  get ctx(): Context {
    this.#kept.restore(this.#ctx);
    return this.#ctx;
  }

  /** Takes the socket, which is not open yet. */
  use(socket: Socket): void {
    const { maxBuffered, skipsSlow } = this.host.settings;
    this.#socket = socket;
    this.#slow = skipsSlow ? new SlowReader(this) : undefined;
    // A reader that is skipped holds replies beyond the bound, and these are bounded too.
    this.#outbox = new Outbox(socket, this, this.codec, skipsSlow ? 2 * maxBuffered : maxBuffered);
  }

  get isEnded(): boolean {
    return this.#isEnded;
  }

  /** How many bytes wait to be sent. */
  get buffered(): number {
    return this.#outbox?.size ?? 0;
  }

  /** Whether one of its handlers runs. */
  get isBusy(): boolean {
    return this.#isBusy;
  }

  /** Whether everything has been handed to the platform. */
  get isFlushed(): boolean {
    return this.#outbox === undefined || this.#outbox.isEmpty;
  }

  /** Sends a packet, if the codec has one. */
  send(packet: Message): void {
    if (typeof packet === "string") this.#outbox?.push(packet);
    else if (packet instanceof Uint8Array) this.#outbox?.pushWhole(packet);
    else for (const message of packet ?? []) this.#outbox?.pushWhole(message);
  }

  /** Sends a packet that a slow reader may miss if a later one of the same key follows. */
  sendLatest(packet: Message, key: string): void {
    if (this.#slow === undefined || !this.#slow.takes(packet, key)) this.send(packet);
  }

  /** Notes that a slow reader misses the message of a room unless it is the latest. */
  sendRoom(packet: string | undefined, key: string, lost: () => string | undefined): void {
    if (this.#slow === undefined || !this.#slow.takes(packet, key, lost)) this.send(packet);
  }

  /** Sends a message outside of the event protocol. */
  sendNative(data: string | Uint8Array<ArrayBuffer>): void {
    this.#outbox?.pushWhole(data);
  }

  /** Sends an event and returns the reply. */
  ask(namespace: string, event: string, data: unknown, timeout: number): Promise<unknown> {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    if (this.#isEnded) {
      reject(askError(event, "the connection has ended"));
      return promise;
    }
    const id = ++this.#lastAsk;
    const timer = setTimeout(() => {
      this.#asks?.delete(id);
      reject(askError(event, `no reply within ${timeout} ms`));
    }, timeout);
    (this.#asks ??= new Map()).set(id, { resolve, reject, timer });
    this.send(this.codec.event(id, namespace, event, data));
    return promise;
  }

  opened(): void {
    this.heardAt = performance.now();
    this.#kept.release(this.#ctx);
    this.#waitFor(this.host.opened(this));
  }

  received(data: string | ArrayBuffer): void {
    if (this.#isEnded) return;
    this.heardAt = performance.now();
    const { maxMessage } = this.host.settings;
    if (sizeOf(data, maxMessage) > maxMessage) return this.close(1009, "The message is too large");
    const packets = this.#read(data);
    if (packets === undefined) return this.close(1007, "The message is malformed");
    for (const packet of packets) {
      if (this.#isEnded) return;
      this.#takePacket(packet);
    }
  }

  closed(code: number, reason: string): void {
    this.end(code, reason);
    if (this.#isReleased) return;
    this.#isReleased = true;
    this.host.released(this);
  }

  /** A reader that holds its window shut never completes a close: it is forgotten at once. */
  overflowed(): void {
    this.close(1013, "The client reads too slowly");
  }

  caughtUp(): void {
    this.#slow?.caughtUp();
  }

  /** Ends the connection after what was sent before. */
  close(code: number, reason: string): void {
    if (this.#isEnded) return;
    this.#outbox?.flush();
    this.end(code, reason);
    this.#socket?.close(code, reason);
  }

  /** Ends the connection by fw's own account: Deno's event may come twice, or never. */
  end(code: number, reason: string): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#outbox?.close();
    this.#queue = undefined;
    for (const { reject, timer } of this.#asks?.values() ?? []) {
      clearTimeout(timer);
      reject(askError("", "the connection has ended"));
    }
    this.#asks = undefined;
    this.host.ended(this, code, reason);
  }

  /** Waits until the handler that runs has finished, but not for long. */
  async idle(): Promise<void> {
    if (!this.#isBusy) return;
    this.#whenIdle ??= Promise.withResolvers();
    const timer = setTimeout(this.#whenIdle.resolve, END_MS);
    await this.#whenIdle.promise;
    clearTimeout(timer);
  }

  /** Reports when the reader has caught up. */
  watch(): void {
    this.#outbox?.watch();
  }

  #takePacket(packet: Packet): void {
    const [op, id] = packet;
    // A handler that waits for a reply holds the queue: replies pass it.
    if (op === Op.Reply || op === Op.Failure) return this.#settle(op, Number(id), packet[2]);
    if (op === Op.Ping) return packet[1] === 1 ? undefined : this.send(this.codec.pong());
    if (op === Op.Close) return this.close(1000, "");
    this.#take(packet);
  }

  #take(item: Packet): void {
    if (!this.#isInPace()) return this.close(1008, "Too many messages");
    if (!this.#isBusy) return this.#run(item);
    const queue = this.#queue ??= [];
    if (queue.length >= this.host.settings.maxQueued) return this.close(1008, "Too many messages wait");
    queue.push(item);
  }

  /** Runs one handler; the next one starts when it has finished. */
  #run(packet: Packet): void {
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

  #settle(op: number, id: number, data: unknown): void {
    const asked = this.#asks?.get(id);
    if (asked === undefined) return;
    this.#asks?.delete(id);
    clearTimeout(asked.timer);
    if (op === Op.Reply) asked.resolve(data);
    else asked.reject(askError("", String((data as Partial<Failure> | null)?.Message ?? "the client refused")));
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

function askError(event: string, why: string): FrameworkError {
  return new FrameworkError("FW_LIVE", `Cannot get a reply${event && ` to "${event}"`}: ${why}`);
}

/** The size in bytes, as far as it matters for a limit. */
function sizeOf(data: string | ArrayBuffer, limit: number): number {
  if (typeof data !== "string") return data.byteLength;
  // UTF-8 takes up to three bytes per unit: most messages need no count.
  return data.length > limit || data.length * 3 <= limit ? data.length : new TextEncoder().encode(data).length;
}
