/**
 * Moves the connections of a user to a room or out of it.
 *
 * @module
 */

import type { Report } from "../live/channel.ts";
import type { Link } from "./link.ts";
import type { LiveConn } from "./live_conn.ts";

/** The connections to move. */
export interface Move {
  readonly user: string;
  readonly namespace: string;
  readonly room: string;
  readonly isJoin: boolean;
}

/** Moves the connections of this process. A failure affects only one of them. */
export async function moveAll(
  links: Iterable<Link>,
  { user, namespace, room, isJoin }: Move,
  report: Report,
): Promise<void> {
  const moving = Array.from(links).filter((link) => link.user?.ID === user)
    .flatMap((link) => link.parts.filter((part) => part.Namespace === namespace) as LiveConn[])
    .map((conn) => isJoin ? conn.Join(room) : conn.Leave(room));
  for (const outcome of await Promise.allSettled(moving)) {
    if (outcome.status === "rejected") report(`Cannot move a connection to or from "${room}":`, outcome.reason);
  }
}
