/**
 * Finds the connections of a server in all processes.
 *
 * @module
 */

import type { Awaitable } from "../store/awaitable.ts";
import type { Cluster } from "./cluster.ts";
import type { Fetched, FetchedConn } from "./conn.ts";
import type { Link } from "./link.ts";
import type { LiveConn } from "./live_conn.ts";

/** The connections to find. */
export interface FetchQuery {
  readonly namespace: string;
  readonly room?: string | undefined;
  readonly user?: string | undefined;
}

/** Asks all processes for their connections. */
export async function fetchConns(
  cluster: Cluster,
  publish: (id: string) => Awaitable<void>,
  timeout: number,
): Promise<Fetched> {
  const { rows, answered, expected } = await cluster.ask(publish, timeout);
  return { Conns: rows as FetchedConn[], Answered: answered, Expected: expected };
}

/** Returns the connections of this process. */
export function rowsOf(links: Iterable<Link>, { namespace, room, user }: FetchQuery): FetchedConn[] {
  const rows: FetchedConn[] = [];
  for (const link of links) {
    const part = link.parts.find(({ Namespace }) => Namespace === namespace) as LiveConn | undefined;
    if (part === undefined || user !== undefined && link.user?.ID !== user) continue;
    const Rooms = part.Rooms();
    if (room === undefined || Rooms.includes(room)) rows.push({ ID: link.id, User: link.user?.ID ?? "", Rooms });
  }
  return rows;
}
