/**
 * Emitters. They send events through the hub to connections in all processes.
 *
 * @module
 */

import type { Retention } from "../live/backplane.ts";
import type { Hub } from "../live/hub.ts";
import { type Audience, payloadOf } from "../live/payload.ts";
import { publish } from "../live/publish.ts";
import type { Conn, RoomEmitter } from "./conn.ts";
import type { Link } from "./link.ts";

/** The destination of events. */
export interface Destination {
  readonly hub: Hub;
  readonly channel: string;
  /** The retention of a channel without a topic. If omitted, nothing is stored. */
  readonly retention?: Retention;
  /** The subscribers of the channel that receive the events. If omitted, all of them do. */
  readonly audience?: Audience;
}

/** Creates an emitter. */
export function emitterTo(destination: Destination): RoomEmitter {
  const { hub, channel, retention, audience } = destination;
  return {
    Emit: (event: string, data?: unknown) => publish(hub, channel, payloadOf(event, data, audience), retention),
    Except: ({ ID }: Conn) => {
      return emitterTo({ ...destination, audience: { ...audience, Except: [...audience?.Except ?? [], ID] } });
    },
  };
}

/** Reports whether a connection belongs to an audience. */
export function isInAudience(audience: Audience, { id, user }: Pick<Link, "id" | "user">): boolean {
  return (audience.User === undefined || audience.User === user?.ID) && !audience.Except?.includes(id);
}
