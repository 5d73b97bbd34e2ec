/**
 * Sockets in memory: the two ends of a connection in one process, for tests.
 *
 * @module
 */

import { offerInMemory, type Socket, type SocketOwner } from "./socket.ts";

type Message = string | Uint8Array<ArrayBuffer>;

/** What the client's end of a socket in memory reports to. */
export interface PeerOwner {
  /** A message has arrived. */
  received(message: Message): void;
  /** The server has closed the connection. */
  closed(code: number, reason: string): void;
}

/** The client's end. */
export interface Peer {
  /** Sends a message to the server. */
  send(message: Message): void;
  /** Closes the connection. */
  close(code: number, reason: string): void;
}

/**
 * Marks a request as a handshake in memory.
 *
 * @param request The request.
 * @param owner The client.
 * @returns A function that opens the connection after the response, or returns `undefined` if it was refused.
 */
export function offerPeer(request: Request, owner: PeerOwner): () => Peer | undefined {
  let pair: Pair | undefined;
  offerInMemory(request, (server, { protocol }) => {
    pair = new Pair(server, owner);
    const headers = {
      upgrade: "websocket",
      connection: "Upgrade",
      ...protocol && { "sec-websocket-protocol": protocol },
    };
    const response = new Response(null, { headers });
    // The platform refuses to create one of this status.
    Object.defineProperty(response, "status", { value: 101 });
    return { socket: pair, response };
  });
  return () => {
    pair?.open();
    return pair?.peer;
  };
}

/** Both ends. Messages arrive in order, and never within the call that sends them. */
class Pair implements Socket {
  readonly #server: SocketOwner;
  readonly #client: PeerOwner;
  #isClosed = false;

  constructor(server: SocketOwner, client: PeerOwner) {
    this.#server = server;
    this.#client = client;
  }

  get buffered(): number {
    return 0;
  }

  get peer(): Peer {
    return {
      send: (message) =>
        this.#later(() => this.#server.received(typeof message === "string" ? message : bufferOf(message))),
      close: (code, reason) => this.#end(() => this.#server.closed(code, reason)),
    };
  }

  open(): void {
    this.#later(() => this.#server.opened());
  }

  send(data: Message): void {
    this.#later(() => this.#client.received(data));
  }

  close(code: number, reason: string): void {
    this.#end(() => {
      this.#client.closed(code, reason);
      this.#server.closed(code, reason);
    });
  }

  #later(act: () => void): void {
    if (!this.#isClosed) queueMicrotask(act);
  }

  #end(act: () => void): void {
    if (this.#isClosed) return;
    this.#later(act);
    this.#isClosed = true;
  }
}

function bufferOf(bytes: Uint8Array<ArrayBuffer>): ArrayBuffer {
  return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
}
