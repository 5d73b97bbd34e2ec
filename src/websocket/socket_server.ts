/**
 * What a WebSocket server is found by without loading it.
 *
 * @module
 */

/**
 * The base of {@linkcode Server}. A program that only might use WebSockets, as `@fw/web/mvc` does, asks for a server by
 * it, so that the code of connections is loaded by those who create one.
 */
export abstract class SocketServer {
  /** Closes all connections at once. */
  abstract Close(): void;
}
