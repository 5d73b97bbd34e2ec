/**
 * In-memory sockets for tests, with both ends in the same process.
 *
 * @module
 */

import { AsyncContext } from "../../../base/async/async_context.ts";
import { offerInMemory, type Socket, type SocketOwner } from "./socket.ts";

type Message = string | Uint8Array<ArrayBuffer>;

/** The receiver for the client end of an in-memory socket. */
export interface PeerOwner {
  /** Called when a message arrives. */
  received(message: Message): void;
  /** Called when the server has closed the connection. */
  closed(code: number, reason: string): void;
}

/** The client end of an in-memory socket. */
export interface Peer {
  /** Sends a message to the server. */
  send(message: Message): void;
  /** Closes the connection. */
  close(code: number, reason: string): void;
}

/**
 * Marks a request as an in-memory handshake.
 *
 * @param request The request.
 * @param owner The client.
 * @returns A function that opens the connection after the response, or returns `undefined` if the handshake was
 * refused.
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
    // The `Response` constructor rejects status 101.
    Object.defineProperty(response, "status", { value: 101 });
    return { socket: pair, response };
  });
  return () => {
    pair?.open();
    return pair?.peer;
  };
}

/**
 * Both ends of an in-memory socket. Messages arrive in order, but never during the call that sends them.
 */
class Pair implements Socket {
  readonly #server: SocketOwner;
  readonly #client: PeerOwner;
  /** The asynchronous context of the handshake, as for a platform socket. */
  readonly #context = new AsyncContext();
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
    if (!this.#isClosed) void this.#context.run(act);
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
