/**
 * The socket interface between connections and the platform. A socket is upgraded by Deno, polled by a Socket.IO client
 * or in memory for tests.
 *
 * @module
 */

import { setImmediate } from "node:timers";

/** A message to send. */
export type SocketMessage = string | Uint8Array<ArrayBuffer>;

/** A socket, as used by the server. */
export interface Socket {
  /** The number of unsent bytes. */
  readonly buffered: number;
  /** Sends a message. */
  send(data: SocketMessage): void;
  /** Starts the closing handshake. */
  close(code: number, reason: string): void;
}

/** The receiver of a socket's events. */
export interface SocketOwner {
  /** Called when the socket opens. */
  opened(): void;
  /** Called with each complete message. */
  received(data: string | ArrayBuffer): void;
  /** Called when the socket closes. It may be called more than once, or never. */
  closed(code: number, reason: string): void;
}

/** Options for upgrading a request. */
export interface UpgradeTerms {
  /** The subprotocol of the response, or an empty string for none. */
  readonly protocol: string;
  /** The time that Deno waits for a response to its own pings, in seconds. If 0, Deno does not send pings. */
  readonly idleTimeout: number;
}

/** An upgraded request. */
export interface Upgraded {
  readonly socket: Socket;
  readonly response: Response;
}

/** Accepts a test request like the platform would. */
export type MemoryUpgrade = (owner: SocketOwner, terms: UpgradeTerms) => Upgraded;

const inMemory = new WeakMap<Request, MemoryUpgrade>();

/** Marks a test request, so that it is accepted without a network connection. */
export function offerInMemory(request: Request, upgrade: MemoryUpgrade): void {
  inMemory.set(request, upgrade);
}

/** Upgrades a request. */
export function upgrade(request: Request, owner: SocketOwner, terms: UpgradeTerms): Upgraded {
  const memory = inMemory.get(request);
  if (memory !== undefined) return memory(owner, terms);
  const { protocol, idleTimeout } = terms;
  const { socket, response } = Deno.upgradeWebSocket(request, {
    idleTimeout,
    ...protocol !== "" && { protocol },
  });
  return { socket: new DenoSocket(socket, owner), response };
}

const once: AddEventListenerOptions = { once: true };

/**
 * A socket upgraded by Deno. One object listens for all events, but only while they can occur. Each listener uses about
 * 290 bytes per connection, and a function per event would use more.
 */
class DenoSocket implements Socket, EventListenerObject {
  readonly #socket: WebSocket;
  readonly #owner: SocketOwner;
  #isOpen = false;

  constructor(socket: WebSocket, owner: SocketOwner) {
    this.#socket = socket;
    this.#owner = owner;
    socket.binaryType = "arraybuffer";
    // There is no listener for `error`, because the event is followed by `close` or by nothing.
    socket.addEventListener("open", this, once);
    socket.addEventListener("message", this);
    socket.addEventListener("close", this);
  }

  get buffered(): number {
    return this.#socket.bufferedAmount;
  }

  send(data: string | Uint8Array<ArrayBuffer>): void {
    // The platform discards messages that are sent after closing has started.
    if (this.#isOpen) this.#socket.send(data);
  }

  close(code: number, reason: string): void {
    this.#isOpen = false;
    // If other messages have arrived in the same read, Deno would drop the connection without sending the last messages
    // and the close frame. They are handled before the callback runs.
    setImmediate(() => {
      if (this.#socket.readyState < WebSocket.CLOSING) this.#socket.close(code, reason);
    });
  }

  handleEvent(event: Event): void {
    switch (event.type) {
      case "message":
        return this.#owner.received((event as MessageEvent).data);
      case "open":
        this.#isOpen = true;
        return this.#owner.opened();
      case "close":
        return this.#owner.closed((event as CloseEvent).code || 1006, (event as CloseEvent).reason);
    }
  }
}
