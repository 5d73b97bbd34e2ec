/**
 * Emitters. They send events through the hub to connections in all processes.
 *
 * @module
 */

import type { Retention } from "../hub/backplane.ts";
import { type Hub, publish } from "../hub/hub.ts";
import { type Audience, payloadOf } from "../hub/payload.ts";
import type { Conn, RoomEmitter } from "./conn.ts";
import type { Link, NamespacePart } from "./link.ts";

/** The maximum number of messages in several rooms that a connection remembers. */
const MAX_GROUPS = 512;

/** A channel that events are published to. */
export interface Destination {
  readonly channel: string;
  /** The retention of a channel without a topic. If omitted, nothing is stored. */
  readonly retention?: Retention;
  /** The subscribers of the channel that receive the events. If omitted, all of them do. */
  readonly audience?: Audience;
}

/** The receivers of events. */
export interface Receivers {
  readonly hub: Hub;
  readonly destinations: readonly Destination[];
  /** The subscribers of all channels that do not receive the events. */
  readonly except?: Audience;
  /** Returns the channel of a room. */
  roomOf(room: string): Destination;
}

/** Creates an emitter. */
export function emitterTo(receivers: Receivers): RoomEmitter {
  const { destinations, except, roomOf } = receivers;
  return {
    Emit: (event: string, data?: unknown) => emit(receivers, event, data),
    Except: (excluded: Conn | string) => emitterTo({ ...receivers, except: without(except, excluded) }),
    To: (...rooms: string[]) => emitterTo({ ...receivers, destinations: [...destinations, ...rooms.map(roomOf)] }),
  };
}

function without(except: Audience | undefined, excluded: Conn | string): Audience {
  return typeof excluded === "string"
    ? { ...except, ExceptRooms: [...except?.ExceptRooms ?? [], excluded] }
    : { ...except, Except: [...except?.Except ?? [], excluded.ID] };
}

/** Publishes an event in each channel once. All are published in the same tick, so that no later event overtakes it. */
function emit({ hub, destinations, except }: Receivers, event: string, data: unknown): Promise<void> {
  const [first] = destinations;
  if (first !== undefined && destinations.length === 1) return publishTo(hub, first, except, event, data);
  const channels = new Map(destinations.map((each) => [each.channel, each]));
  const rest = channels.size > 1 ? { ...except, Group: crypto.randomUUID() } : except;
  const done = Array.from(channels.values(), (each) => publishTo(hub, each, rest, event, data));
  const all = Promise.all(done).then(() => {});
  // As for a single room, handlers rarely await the promise.
  all.catch(() => {});
  return all;
}

function publishTo(
  hub: Hub,
  { channel, retention, audience }: Destination,
  rest: Audience | undefined,
  event: string,
  data: unknown,
): Promise<void> {
  const whole = audience === undefined || rest === undefined ? audience ?? rest : { ...audience, ...rest };
  return publish(hub, channel, payloadOf(event, data, whole), retention);
}

/**
 * Reports whether a connection belongs to an audience. If the message is also sent to other rooms of the connection, it
 * belongs to the audience only once.
 */
export function isInAudience(
  audience: Audience,
  link: Pick<Link, "id" | "user" | "groups">,
  part: NamespacePart,
): boolean {
  const { User, Except, ExceptRooms, Group } = audience;
  if (User !== undefined && User !== link.user?.ID || Except?.includes(link.id)) return false;
  if (ExceptRooms?.some((room) => part.isIn(room))) return false;
  return Group === undefined || isNew(link, Group);
}

/** Reports whether a connection has not received a message before, and remembers it. */
function isNew(link: Pick<Link, "groups">, group: string): boolean {
  const groups = link.groups ??= new Set();
  if (groups.has(group)) return false;
  groups.add(group);
  // A set is iterated in the order in which its values were added.
  if (groups.size > MAX_GROUPS) groups.delete(groups.values().next().value ?? "");
  return true;
}
