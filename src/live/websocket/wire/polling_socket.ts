/**
 * Sockets for Socket.IO clients that poll. The messages wait for the client's next request, until the client has
 * upgraded to a WebSocket.
 *
 * @module
 */

import { setImmediate } from "node:timers";
import { Engine, writePolled } from "./engine_payload.ts";
import type { Socket, SocketMessage, SocketOwner } from "./socket.ts";

/** The time that a closed socket waits for a poll that takes the last messages, in milliseconds. */
const LINGER_MS = 5_000;
/** The close code of a shutdown. */
const RESTART = 1012;
/**
 * The time that a poll waits for the end of an upgrade, in milliseconds. The last message of the upgrade may have been
 * sent before the poll, on another connection.
 */
const PROBED_MS = 50;

/** The time that a client has to complete an upgrade, in milliseconds. */
const UPGRADE_MS = 10_000;
const PROBE = "probe";

/** The heartbeat of a polling client, in milliseconds. */
export interface PollingTerms {
  readonly pingInterval: number;
  readonly pingTimeout: number;
}

/** A socket whose messages are fetched and sent with HTTP requests. */
export class PollingSocket implements Socket {
  readonly #owner: SocketOwner;
  readonly #terms: PollingTerms;
  readonly #released: () => void;
  #queue: SocketMessage[] = [];
  #size = 0;
  /** Responds to the pending poll. */
  #answer: ((body?: string) => void) | undefined = undefined;
  #isFlushing = false;
  #isOpen = false;
  #upgrade: Upgrade | undefined = undefined;
  /** The WebSocket that has replaced polling. */
  #socket: Socket | undefined = undefined;
  #ending: { readonly code: number; readonly reason: string } | undefined = undefined;
  #lingering: ReturnType<typeof setTimeout> | undefined = undefined;
  #isOver = false;
  /** The time by which the client must respond to a ping, on the `performance.now()` clock. */
  #deadline: number;

  /**
   * Creates a socket. It opens with the first request of the client.
   *
   * @param owner The connection.
   * @param terms The client's heartbeat.
   * @param released Called once when no more requests are accepted.
   */
  constructor(owner: SocketOwner, terms: PollingTerms, released: () => void) {
    this.#owner = owner;
    this.#terms = terms;
    this.#released = released;
    this.#deadline = performance.now() + terms.pingInterval + terms.pingTimeout;
  }

  get buffered(): number {
    return this.#socket?.buffered ?? this.#size;
  }

  /** Reports whether the client polls, and has not been silent for too long. */
  get isPolling(): boolean {
    if (this.#socket !== undefined || this.#isOver) return false;
    if (this.#ending !== undefined || performance.now() <= this.#deadline) return true;
    this.fail(1001, "The client timed out");
    return false;
  }

  get #isUpgradable(): boolean {
    return this.isPolling && this.#upgrade === undefined && this.#ending === undefined;
  }

  send(data: SocketMessage): void {
    if (this.#socket !== undefined) return this.#socket.send(data);
    // The client does not expect messages before it has received the response to its handshake.
    if (this.#ending !== undefined || !this.#isOpen) return;
    if (data === Engine.Ping) this.#deadline = performance.now() + this.#terms.pingTimeout;
    this.#push(data);
    if (this.#answer === undefined || this.#isFlushing) return;
    // The messages that are sent in the same tick share a response.
    this.#isFlushing = true;
    setImmediate(() => this.#flush());
  }

  /**
   * Waits for messages.
   *
   * @param signal Aborted if the client disconnects. The messages of a canceled response would be lost, so the
   * connection ends.
   * @returns The response body, or `undefined` if the request is not allowed.
   */
  poll(signal: AbortSignal): Promise<string | undefined> | string | undefined {
    this.#open();
    if (this.#answer !== undefined) {
      this.fail(1002, "Several polls at the same time");
      return undefined;
    }
    if (this.#queue.length > 0) return this.#take();
    if (this.#ending !== undefined) {
      this.#finish(this.#ending.code, this.#ending.reason);
      return Engine.Close;
    }
    const leave = () => this.fail(1006, "");
    if (signal.aborted) leave();
    if (this.#isOver) return undefined;
    signal.addEventListener("abort", leave, { once: true });
    const { promise, resolve } = Promise.withResolvers<string | undefined>();
    const timer = this.#upgrade?.isProbed ? setTimeout(() => this.probed(), PROBED_MS) : undefined;
    this.#answer = (body) => {
      this.#answer = undefined;
      clearTimeout(timer);
      signal.removeEventListener("abort", leave);
      resolve(body);
    };
    return promise;
  }

  /**
   * Receives the messages of a request.
   *
   * @returns Whether the client has sent valid messages.
   */
  receive(messages: readonly (string | ArrayBuffer)[]): boolean {
    this.#open();
    for (const message of messages) {
      if (message === Engine.Close) {
        this.#answer?.(Engine.Noop);
        this.#finish(1000, "");
        return true;
      }
      if (this.#ending === undefined) this.#deadline = Infinity;
      this.#owner.received(message);
      if (this.#isOver) return false;
    }
    return true;
  }

  /** Ends the connection. The pending poll gets a response, but nothing waits for another one. */
  fail(code: number, reason: string): void {
    if (this.#isOver) return;
    this.#answer?.(Engine.Close);
    this.#finish(code, reason);
  }

  close(code: number, reason: string): void {
    if (this.#socket !== undefined) return this.#socket.close(code, reason);
    if (this.#ending !== undefined || this.#isOver) return;
    this.#ending = { code, reason };
    // A client would not handle the messages before the one that closes the connection if they shared a response.
    this.#flush();
    const isAwaited = isForGood(code) || code === RESTART && this.#queue.length > 0;
    if (this.#answer !== undefined || !isAwaited) return this.fail(code, reason);
    this.#lingering = setTimeout(() => this.#finish(code, reason), LINGER_MS);
    Deno.unrefTimer(this.#lingering);
  }

  /** Returns the owner of a WebSocket that the client wants to upgrade to. */
  upgrade(): Upgrade {
    if (!this.#isUpgradable) return new Upgrade(undefined);
    this.#open();
    return this.#upgrade = new Upgrade(this);
  }

  probed(): void {
    // The client waits for its poll before it completes the upgrade.
    if (this.#queue.length === 0 && this.#socket === undefined) this.#answer?.(Engine.Noop);
  }

  upgraded(socket: Socket): void {
    if (this.#ending !== undefined || this.#isOver) return socket.close(1001, "");
    this.#answer?.();
    this.#socket = socket;
    for (const message of this.#queue) socket.send(message);
    this.#queue = [];
    this.#size = 0;
  }

  notUpgraded(): void {
    this.#upgrade = undefined;
  }

  received(data: string | ArrayBuffer): void {
    this.#owner.received(data);
  }

  closed(code: number, reason: string): void {
    this.#finish(code, reason);
  }

  #open(): void {
    if (this.#isOpen) return;
    this.#isOpen = true;
    // From now on, the server sends pings.
    this.#deadline = Infinity;
    this.#owner.opened();
  }

  #push(data: SocketMessage): void {
    this.#queue.push(data);
    this.#size += data.length;
  }

  #flush(): void {
    this.#isFlushing = false;
    if (this.#queue.length > 0) this.#answer?.(this.#take());
  }

  #take(): string {
    const body = writePolled(this.#queue);
    this.#queue = [];
    this.#size = 0;
    return body;
  }

  #finish(code: number, reason: string): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#ending ??= { code, reason };
    this.#queue = [];
    this.#size = 0;
    clearTimeout(this.#lingering);
    if (this.#socket === undefined) this.#upgrade?.fail();
    this.#released();
    this.#owner.closed(code, reason);
  }
}

/** A WebSocket that replaces polling after the client has tested it. The client tests it while it still polls. */
class Upgrade implements SocketOwner {
  readonly #polling: PollingSocket | undefined;
  #socket: Socket | undefined = undefined;
  #state: "new" | "probed" | "done" | "failed" = "new";
  readonly #timer: ReturnType<typeof setTimeout>;

  /** Creates an upgrade. Without a polling socket, the WebSocket is closed when it opens. */
  constructor(polling: PollingSocket | undefined) {
    this.#polling = polling;
    this.#timer = setTimeout(() => this.fail(), UPGRADE_MS);
    Deno.unrefTimer(this.#timer);
    // Some clients do not expect a refused handshake.
    if (polling === undefined) this.fail();
  }

  /** Reports whether the client has tested the WebSocket. */
  get isProbed(): boolean {
    return this.#state === "probed";
  }

  /** Attaches the WebSocket, which is not open yet. */
  use(socket: Socket): void {
    this.#socket = socket;
  }

  opened(): void {
    if (this.#state === "failed") this.#close();
  }

  received(data: string | ArrayBuffer): void {
    if (this.#state === "done") return this.#polling?.received(data);
    if (this.#state === "new" && data === Engine.Ping + PROBE) {
      this.#state = "probed";
      this.#socket?.send(Engine.Pong + PROBE);
      return this.#polling?.probed();
    }
    if (this.#state !== "probed" || data !== Engine.Upgrade || this.#socket === undefined) return this.fail();
    this.#state = "done";
    clearTimeout(this.#timer);
    this.#polling?.upgraded(this.#socket);
  }

  closed(code: number, reason: string): void {
    if (this.#state === "done") this.#polling?.closed(code, reason);
    else this.fail();
  }

  /** Gives up the upgrade. */
  fail(): void {
    if (this.#state === "failed") return;
    clearTimeout(this.#timer);
    this.#state = "failed";
    this.#polling?.notUpgraded();
    this.#close();
  }

  #close(): void {
    this.#socket?.close(1002, "The upgrade has failed");
  }
}

/**
 * Reports whether a client has to know that its connection was closed, because it must not reconnect. Otherwise, its
 * next request fails, and it reconnects.
 */
function isForGood(code: number): boolean {
  return code === 1000 || code >= 3000;
}
