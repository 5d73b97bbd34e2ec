/**
 * The types of connections in all processes.
 *
 * @module
 */

/** A connection in any process, returned by {@linkcode Server.Fetch}. */
export interface FetchedConn {
  /** The connection ID. */
  readonly ID: string;
  /** The user ID, or an empty string if the handshake was not authenticated. */
  readonly User: string;
  /** The rooms that the connection has joined. */
  readonly Rooms: readonly string[];
}

/** The result of {@linkcode Server.Fetch}. */
export interface Fetched {
  /** The connections, in no particular order. */
  readonly Conns: readonly FetchedConn[];
  /** The number of processes that have responded in time. */
  readonly Responded: number;
  /**
   * The number of processes with connections. If it is greater than `Responded`, connections may be missing. A process
   * that was killed is counted for up to 15 seconds.
   */
  readonly Expected: number;
}

/** Options for {@linkcode Server.Fetch}. */
export interface FetchOptions {
  /** The room whose connections to return. If omitted, connections are returned regardless of their rooms. */
  readonly Room?: string;
  /** The ID of the user whose connections to return. If omitted, all users' connections are returned. */
  readonly User?: string;
  /** The namespace. If omitted, the default namespace is used. */
  readonly Namespace?: string;
  /**
   * The maximum time to wait for other processes, in milliseconds.
   *
   * @default {2000}
   */
  readonly Timeout?: number;
}
