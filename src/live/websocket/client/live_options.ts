/**
 * The options of the browser client.
 *
 * @module
 */

/** Options for methods that refer to a namespace. */
export interface LiveNamespaceOptions {
  /** The namespace. If omitted, the default namespace is used. */
  readonly Namespace?: string;
}

/** Options for `Ask`. */
export interface LiveAskOptions {
  /** The timeout, in milliseconds. Defaults to the client's `Timeout` option. */
  readonly Timeout?: number;
}

/** Options for joining a room. */
export interface LiveJoinOptions<P = unknown> {
  /** The parameters for the server's `OnRoomJoin`. They are resent after a reconnection. */
  readonly Params?: P;
  /**
   * The number of stored messages to receive first. It is limited by the room's history and the server's `MaxRewind`.
   * After a reconnection, the client receives the messages that it missed instead.
   *
   * @default {0}
   */
  readonly Rewind?: number;
}

/** Options for {@linkcode Live}. */
export interface LiveOptions {
  /** Returns a token, which is sent as the `bearer.TOKEN` subprotocol. Called again before the token expires. */
  readonly Token?: () => string | Promise<string>;
  /**
   * The maximum number of messages to queue while disconnected.
   *
   * @default {100}
   */
  readonly MaxQueued?: number;
  /**
   * The timeout for `Ask` and `Send`, in milliseconds.
   *
   * @default {10000}
   */
  readonly Timeout?: number;
}
