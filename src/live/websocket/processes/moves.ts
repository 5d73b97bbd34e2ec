/**
 * Moves the connections of a user to a room or out of it.
 *
 * @module
 */

import type { Report } from "../../hub/channel.ts";

/** The connections to move. */
export interface Move {
  readonly user: string;
  readonly namespace: string;
  readonly room: string;
  readonly isJoin: boolean;
}

/** A connection to a namespace. */
interface Movable {
  readonly Namespace: string;
  Join(room: string): Promise<void>;
  Leave(room: string): Promise<void>;
}

/** A client. */
interface Client {
  readonly user: { readonly ID: string } | undefined;
  readonly parts: readonly { readonly Namespace: string }[];
}

/** Moves the connections of this process. A failure affects only one of them. */
export async function moveAll(
  links: Iterable<Client>,
  { user, namespace, room, isJoin }: Move,
  report: Report,
): Promise<void> {
  const moving = Array.from(links).filter((link) => link.user?.ID === user)
    .flatMap((link) => link.parts.filter((part) => part.Namespace === namespace) as Movable[])
    .map((conn) => isJoin ? conn.Join(room) : conn.Leave(room));
  for (const outcome of await Promise.allSettled(moving)) {
    if (outcome.status === "rejected") report(`Cannot move a connection to or from "${room}":`, outcome.reason);
  }
}
