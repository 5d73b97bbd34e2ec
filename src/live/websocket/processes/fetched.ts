/**
 * Finds the connections of a server in all processes.
 *
 * @module
 */

import type { Processes } from "./processes.ts";

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

/** A client. */
interface Client {
  readonly id: string;
  readonly user: { readonly ID: string } | undefined;
  readonly parts: readonly { readonly Namespace: string }[];
}

/** A connection to a namespace. */
interface Part {
  readonly Namespace: string;
  Rooms(): string[];
}

/** The connections to find. */
export interface FetchQuery {
  readonly namespace: string;
  readonly room?: string | undefined;
  readonly user?: string | undefined;
}

/** Asks all processes for their connections. */
export async function fetchConns(
  processes: Processes,
  publish: (id: string) => Promise<void>,
  timeout: number,
): Promise<Fetched> {
  const { rows, responded, expected } = await processes.ask(publish, timeout);
  return { Conns: rows as FetchedConn[], Responded: responded, Expected: expected };
}

/** Returns the connections of this process. */
export function rowsOf(links: Iterable<Client>, { namespace, room, user }: FetchQuery): FetchedConn[] {
  const rows: FetchedConn[] = [];
  for (const link of links) {
    const part = link.parts.find(({ Namespace }) => Namespace === namespace) as Part | undefined;
    if (part === undefined || user !== undefined && link.user?.ID !== user) continue;
    const Rooms = part.Rooms();
    if (room === undefined || Rooms.includes(room)) rows.push({ ID: link.id, User: link.user?.ID ?? "", Rooms });
  }
  return rows;
}
