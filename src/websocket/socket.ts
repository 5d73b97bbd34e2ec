/**
 * The seam between connections and the platform: a socket that Deno upgrades, or one in memory for tests.
 *
 * @module
 */

/** A socket as the server uses it. */
export interface Socket {
  /** How many bytes wait to be sent. */
  readonly buffered: number;
  /** Sends one message. */
  send(data: string | Uint8Array<ArrayBuffer>): void;
  /** Begins the closing handshake. */
  close(code: number, reason: string): void;
}

/** What a socket reports to. */
export interface SocketOwner {
  /** The socket is open. */
  opened(): void;
  /** A whole message has arrived. */
  received(data: string | ArrayBuffer): void;
  /** The socket is closed. It may be called more than once, or never. */
  closed(code: number, reason: string): void;
}

/** How a request is upgraded. */
export interface UpgradeTerms {
  /** The sub-protocol of the response; empty for none. */
  readonly protocol: string;
  /** How long Deno waits for a response to its own pings, in seconds; 0 if it sends none. */
  readonly idleTimeout: number;
}

/** An upgraded request. */
export interface Upgraded {
  readonly socket: Socket;
  readonly response: Response;
}

/** Accepts a request of a test as the platform would. */
export type MemoryUpgrade = (owner: SocketOwner, terms: UpgradeTerms) => Upgraded;

const inMemory = new WeakMap<Request, MemoryUpgrade>();

/** Marks a request of a test: a handshake accepts it without a connection. */
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

/** A socket of Deno's. One object listens to all events: a function for each would cost memory per connection. */
class DenoSocket implements Socket, EventListenerObject {
  readonly #socket: WebSocket;
  readonly #owner: SocketOwner;
  #isOpen = false;

  constructor(socket: WebSocket, owner: SocketOwner) {
    this.#socket = socket;
    this.#owner = owner;
    socket.binaryType = "arraybuffer";
    socket.addEventListener("open", this);
    socket.addEventListener("message", this);
    socket.addEventListener("close", this);
    socket.addEventListener("error", this);
  }

  get buffered(): number {
    return this.#socket.bufferedAmount;
  }

  send(data: string | Uint8Array<ArrayBuffer>): void {
    // Once it closes, the platform discards what is sent.
    if (this.#isOpen) this.#socket.send(data);
  }

  close(code: number, reason: string): void {
    if (this.#socket.readyState < WebSocket.CLOSING) this.#socket.close(code, reason);
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
    // An error is always followed by a close, or by nothing; with a listener it does not end the process.
  }
}
