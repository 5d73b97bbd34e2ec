/**
 * The base class of WebSocket servers. It can be imported without loading the server code.
 *
 * @module
 */

/**
 * The base class of {@linkcode Server}. Modules that may not need WebSockets, such as `@fw/web/mvc`, refer to this
 * class, so that the connection code is loaded only if a server is created.
 */
export abstract class SocketServer {
  /** Closes all connections immediately. */
  abstract Close(): void;
}
