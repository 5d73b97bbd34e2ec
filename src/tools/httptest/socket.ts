/**
 * In-memory WebSocket connections for tests.
 *
 * @module
 */

import { count, filled, list, record, text, texts, timeLimit, where } from "../../base/config/option_kinds.ts";
import { anything } from "../../base/config/option_shapes.ts";
import { optionTable, readOptions } from "../../base/config/option_table.ts";
import { bytesOf, isBytes } from "../../base/data/bytes.ts";
import { messageOf } from "../../base/errors/to_error.ts";
import { isJSONObject } from "../../base/data/plain_object.ts";
import { toJSON } from "../../base/text/json.ts";
import { parseLossless } from "../../base/text/lossless_json.ts";
import { namespaceOf, type NamespaceOptions } from "../../live/hub/namespace_options.ts";
import { offerPeer, type Peer } from "../../live/websocket/wire/memory_socket.ts";
import { bytesPacket, dataAt, Op, type Packet, readBytes, readPackets } from "../../live/websocket/wire/packet.ts";
import type { Served } from "./call.ts";
import type { Jar } from "./jar.ts";
import { inPatience } from "./patience.ts";

/** Options for {@linkcode Client.WebSocket}. */
export interface SocketOptions {
  /** Additional request headers. */
  readonly Headers?: Readonly<Record<string, string>>;
  /**
   * The subprotocols to offer.
   *
   * @default {["fw.live.1"]}
   */
  readonly Protocols?: readonly string[];
  /**
   * The client's IP address.
   *
   * @default {"127.0.0.1"}
   */
  readonly RemoteAddr?: string;
}

const table = optionTable<SocketOptions>("httptest.SocketOptions", "WebSocket")({
  Headers: record({}),
  Protocols: texts(["fw.live.1"]),
  RemoteAddr: filled("127.0.0.1"),
});

/** Options for {@linkcode TestSocket.Join}. */
export interface SocketJoinOptions {
  /** The namespace. If omitted, the default namespace is used. */
  readonly Namespace?: string;
  /** The parameters for `OnRoomJoin`. */
  readonly Params?: unknown;
  /**
   * The number of stored messages to receive first.
   *
   * @default {0}
   */
  readonly Rewind?: number;
  /** The epoch and offset of the last received message, from which to resume. */
  readonly From?: readonly [epoch: string, offset: number];
}

const joinTable = optionTable<SocketJoinOptions>("httptest.SocketJoinOptions", "Join")({
  Namespace: text(""),
  Params: anything(),
  Rewind: count(0, { from: 0 }),
  From: where(
    list(["", 0]),
    "an array with an epoch and an offset",
    ([epoch, offset]) => typeof epoch === "string" && typeof offset === "number",
  ),
});

/** Options for {@linkcode TestSocket.Ask}. */
export interface SocketAskOptions extends NamespaceOptions {
  /** The timeout, in milliseconds. If omitted, there is none. */
  readonly Timeout?: number;
}

const askTable = optionTable<SocketAskOptions>("httptest.SocketAskOptions", "Ask")({
  Namespace: text(""),
  Timeout: timeLimit(undefined, { isPositive: false }),
});

/** A received event. */
interface Received {
  readonly event: string;
  readonly data: unknown;
  readonly namespace: string;
}

/** The destination of a connection. */
interface Target {
  readonly url: URL;
  readonly jar: Jar;
  /** The headers of all requests. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Opens a connection to an application in the same process. */
export async function openSocket(served: Served, target: Target, options: SocketOptions): Promise<TestSocket> {
  const { Headers: added, Protocols: protocols, RemoteAddr: hostname } = readOptions(table, options);
  const cookies = target.jar.header();
  const headers = {
    upgrade: "websocket",
    connection: "Upgrade",
    "sec-websocket-version": "13",
    "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
    ...protocols.length > 0 && { "sec-websocket-protocol": protocols.join(", ") },
    ...cookies !== "" && { cookie: cookies },
    ...target.headers,
    ...added,
  };
  const request = new Request(target.url, { headers });
  const socket = new TestSocket();
  const open = offerPeer(request, socket);
  const response = await served.fetch(request, {
    remoteAddr: { transport: "tcp", hostname, port: 0 },
  });
  target.jar.take(response.headers);
  const peer = open();
  if (peer === undefined || response.status !== 101) {
    // A proxy connects the platform's socket of a request, which only a request over a connection has.
    const reason = response.status === 101
      ? "another server accepts it; start this server with Run, and connect to its address"
      : `status ${response.status}, ${await response.text()}`;
    throw new Error(`Cannot open a WebSocket to ${target.url.pathname}: ${reason}`);
  }
  socket.use(peer, protocols.includes("fw.live.1"));
  return socket;
}

/** The client side of an in-memory WebSocket connection, created by {@linkcode Client.WebSocket}. */
export class TestSocket {
  readonly #events: Received[] = [];
  readonly #messages: (string | Uint8Array)[] = [];
  readonly #replies = new Map<number, (packet: Packet) => void>();
  readonly #waiting: (() => void)[] = [];
  readonly #handlers = new Map<string, (data: unknown) => unknown>();
  #peer: Peer | undefined = undefined;
  #isLive = true;
  #ending: readonly [code: number, reason: string] | undefined = undefined;
  /** Whether the test has closed the connection. */
  #isClosed = false;
  #parts = "";
  #lastID = 0;

  /**
   * Attaches the connection.
   *
   * @ignore
   */
  use(peer: Peer, isLive: boolean): void {
    this.#peer = peer;
    this.#isLive = isLive;
  }

  /**
   * Sends an event.
   *
   * @param event The event name.
   * @param data The event data. Bytes are sent unchanged, and other values are sent as JSON.
   * @param options The namespace.
   */
  Emit(event: string, data?: unknown, options?: NamespaceOptions): void {
    this.#send([Op.Event, 0, namespaceOf("Emit", options), event, data ?? null]);
  }

  /**
   * Sends an event and waits for the reply.
   *
   * @param event The event name.
   * @param data The event data. Bytes are sent unchanged, and other values are sent as JSON.
   * @param options The namespace and the timeout.
   * @returns The reply. If the server rejects the event, the promise is rejected with its message, status and
   * validation issues.
   */
  Ask(event: string, data?: unknown, options: SocketAskOptions = {}): Promise<unknown> {
    const { Namespace, Timeout } = readOptions(askTable, options);
    return this.#ask([Op.Event, 0, Namespace, event, data ?? null], Timeout);
  }

  /**
   * Connects to a namespace.
   *
   * @param namespace The namespace.
   * @returns A promise that rejects if the server refuses the connection.
   */
  async Connect(namespace: string): Promise<void> {
    await this.#ask([Op.Connect, 0, namespace, {}]);
  }

  /**
   * Joins a room.
   *
   * @param room The room.
   * @param options The namespace, the parameters, and the messages to receive first.
   * @returns The reply of `OnRoomJoin`. The promise rejects if the server refuses.
   */
  async Join(room: string, options: SocketJoinOptions = {}): Promise<unknown> {
    const { Namespace, Params = null, Rewind, From } = readOptions(joinTable, options);
    const joined = await this.#ask([Op.Join, 0, Namespace, room, ...From, Params, Rewind]);
    return (joined as { Reply?: unknown } | null)?.Reply;
  }

  /**
   * Watches the members of a room. They arrive as the event `presence` with the members that `Joined`, `Left` and were
   * `Updated`. The first event has all members.
   *
   * @param room The room. The connection must have joined it.
   * @param options The namespace.
   * @returns A promise that rejects if the server refuses.
   */
  async WatchPresence(room: string, options?: NamespaceOptions): Promise<void> {
    await this.#ask([Op.Presence, 0, namespaceOf("WatchPresence", options), room, 1]);
  }

  /**
   * Leaves a room.
   *
   * @param room The room.
   * @param options The namespace.
   */
  async Leave(room: string, options?: NamespaceOptions): Promise<void> {
    await this.#ask([Op.Leave, 0, namespaceOf("Leave", options), room]);
  }

  /**
   * Renews the connection's identity.
   *
   * @param token The new token. If omitted, the server checks the session again.
   * @returns The reply, whose `In` is the identity's remaining lifetime, in milliseconds. The promise rejects if the
   * server refuses.
   */
  async Renew(token = ""): Promise<unknown> {
    return await this.#ask([Op.Renew, 0, token]);
  }

  /**
   * Registers a handler that replies to a server event.
   *
   * @param event The event name.
   * @param handler Returns the reply, or a promise for it. If the handler throws, the server's `Ask` rejects.
   */
  Handle(event: string, handler: (data: unknown) => unknown): void {
    this.#handlers.set(event, handler);
  }

  /**
   * Sends a raw message, bypassing the event protocol.
   *
   * @param message The text or bytes to send.
   */
  Write(message: string | Uint8Array<ArrayBuffer>): void {
    this.#peer?.send(message);
  }

  /**
   * Waits for an event. Other events received in the meantime stay queued.
   *
   * @param event The event name.
   * @param data The expected data. If omitted, any data is accepted.
   * @returns The event data.
   */
  async ExpectEvent(event: string, data?: unknown): Promise<unknown> {
    const found = await this.#until(`the event "${event}"`, () => {
      const at = this.#events.findIndex((each) => each.event === event);
      return at < 0 ? undefined : this.#events.splice(at, 1)[0];
    });
    if (data !== undefined) compare(`data of the event "${event}"`, found.data, data);
    return found.data;
  }

  /**
   * Sends an event and checks the reply.
   *
   * @param event The event name.
   * @param data The event data.
   * @param expected The expected reply.
   */
  async ExpectReply(event: string, data: unknown, expected: unknown): Promise<void> {
    compare(`reply to "${event}"`, await this.Ask(event, data), expected);
  }

  /**
   * Waits for a raw message, outside the event protocol.
   *
   * @param message The expected message. If omitted, any message is accepted.
   * @returns The message.
   */
  async ExpectMessage(message?: string | Uint8Array): Promise<string | Uint8Array> {
    const found = await this.#until("a message", () => this.#messages.shift());
    if (message !== undefined) compare("message", found, message);
    return found;
  }

  /**
   * Waits for the server to close the connection.
   *
   * @param code The expected close code.
   */
  async ExpectClose(code: number): Promise<void> {
    const ending = await this.#until("the end of the connection", () => this.#ending);
    compare("close code", ending[0], code);
  }

  /**
   * Closes the connection.
   *
   * @param code The close code.
   * @returns A promise that resolves when the server has been notified.
   */
  async Close(code = 1000): Promise<void> {
    this.#isClosed = true;
    this.#peer?.close(code, "");
    this.#rejectAsks();
    this.#tell();
    await Promise.resolve();
  }

  /**
   * Receives a message from the server.
   *
   * @ignore
   */
  received(message: string | Uint8Array<ArrayBuffer>): void {
    const packet = this.#isLive && typeof message !== "string" ? readBytes(message.slice().buffer) : undefined;
    if (packet !== undefined) this.#take(packet);
    else if (!this.#isLive || typeof message !== "string") this.#messages.push(message);
    else if (message.startsWith("+")) this.#parts += message.slice(1);
    else this.#read(message.startsWith("=") ? this.#takeParts() + message.slice(1) : message);
    this.#tell();
  }

  /**
   * Receives the close code and reason.
   *
   * @ignore
   */
  closed(code: number, reason: string): void {
    this.#ending = [code, reason];
    this.#rejectAsks();
    this.#tell();
  }

  #rejectAsks(): void {
    for (const settle of this.#replies.values()) settle([Op.Failure, 0, { Message: "The connection was closed" }]);
    this.#replies.clear();
  }

  #takeParts(): string {
    const parts = this.#parts;
    this.#parts = "";
    return parts;
  }

  #read(text: string): void {
    for (const packet of readPackets(text) ?? []) this.#take(packet);
  }

  #take(packet: Packet): void {
    const [op, id] = packet;
    if (op === Op.Event) this.#event(Number(id), String(packet[2]), String(packet[3]), packet[4]);
    if (op === Op.Room) {
      const [, , , , event, data, bytes] = packet;
      this.#event(0, String(id), String(event), typeof bytes === "string" ? Uint8Array.fromBase64(bytes) : data);
    }
    if (op === Op.Gap) this.#event(0, String(id), "gap", { From: packet[3], To: packet[4], Reason: packet[5] });
    if (op === Op.Members) {
      const [, , , , Joined, Left, Updated] = packet;
      this.#event(0, String(id), "presence", { Joined, Left, Updated });
    }
    if (op === Op.Away) this.#event(0, "", "away", { In: id });
    if (op === Op.Expiring) this.#event(0, "", "expiring", { In: id });
    if (op === Op.Ping && id !== 1) this.#send([Op.Ping, 1]);
    if (op === Op.Reply || op === Op.Failure) {
      this.#replies.get(Number(id))?.(packet);
      this.#replies.delete(Number(id));
    }
  }

  #event(id: number, namespace: string, event: string, data: unknown): void {
    const handler = this.#handlers.get(event);
    if (id === 0 || handler === undefined) this.#events.push({ event, data, namespace });
    else void this.#reply(id, handler, data);
  }

  async #reply(id: number, handler: (data: unknown) => unknown, data: unknown): Promise<void> {
    try {
      this.#send([Op.Reply, id, await handler(data) ?? null]);
    } catch (error) {
      this.#send([Op.Failure, id, { Message: messageOf(error) }]);
    }
  }

  #send(packet: Packet): void {
    const at = dataAt[Number(packet[0])] ?? -1;
    const data = packet[at];
    if (isBytes(data)) return this.#peer?.send(bytesPacket(packet.toSpliced(at, 1), bytesOf(data)));
    const text = toJSON(packet);
    // JSON changes bytes into objects. The clients refuse them with the same error.
    if (/\{(?:"0":|\})/.test(text)) JSON.stringify(data, refuseBytes);
    this.#peer?.send(text);
  }

  #ask(packet: unknown[], timeout?: number): Promise<unknown> {
    const id = packet[1] = ++this.#lastID;
    return new Promise((resolve, reject) => {
      if (this.#isClosed || this.#ending !== undefined) return reject(new Error("The connection was closed"));
      const timer = timeout === undefined ? undefined : setTimeout(() => {
        this.#replies.delete(id);
        reject(new Error(`No reply within ${timeout} ms`));
      }, timeout);
      this.#replies.set(id, ([op, , data]) => {
        clearTimeout(timer);
        if (op === Op.Reply) resolve(data);
        else reject(Object.assign(new Error(String((data as { Message?: string }).Message)), { Errors: [] }, data));
      });
      this.#send(packet);
    });
  }

  #tell(): void {
    for (const wake of this.#waiting.splice(0)) wake();
  }

  #until<T>(what: string, look: () => T | undefined): Promise<T> {
    return inPatience(this.#search(what, look), what);
  }

  async #search<T>(what: string, look: () => T | undefined): Promise<T> {
    for (;;) {
      const found = look();
      if (found !== undefined) return found;
      if (this.#ending !== undefined) {
        const [code, reason] = this.#ending;
        throw new Error(`Expected ${what}, but the connection was closed with ${code}${reason && `: ${reason}`}`);
      }
      if (this.#isClosed) throw new Error(`Expected ${what}, but the test has closed the connection`);
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }
}

function refuseBytes(_key: string, value: unknown): unknown {
  if (isBytes(value)) throw new TypeError("Bytes must be the whole data of an event");
  return typeof value === "bigint" ? null : value;
}

function compare(what: string, actual: unknown, expected: unknown): void {
  const [is, should] = [canonical(actual), canonical(expected)];
  if (is !== should) throw new Error(`Expected the ${what} to be ${should}, got ${is}`);
}

/** Serializes a value as JSON with sorted keys, so that equal values have equal JSON. */
function canonical(value: unknown): string {
  return toJSON(sorted(parseLossless(toJSON(value))));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isJSONObject(value)) return value;
  const entries = Object.entries(value).sort(([a], [b]) => a < b ? -1 : 1);
  return Object.fromEntries(entries.map(([name, each]) => [name, sorted(each)]));
}
