/**
 * The events that a Socket.IO client may have missed. Each event has a number, and the client sends the number of the
 * last event it has received when it reconnects.
 *
 * @module
 */

import type { Position } from "../../hub/backplane.ts";

/** The maximum number of room events to remember per connection and namespace. */
const MAX_EVENTS = 1_000;

/** A room event that was sent: its number, its room, and the room's offsets before and after it. */
type Sent = readonly [number: number, room: string, before: number, offset: number];

/** A client's state in one namespace, in a form that can be stored. */
export interface NamespaceState {
  readonly User: string | null;
  readonly Namespace: string;
  readonly Last: number;
  readonly Rooms: readonly (readonly [room: string, epoch: string, offset: number])[];
  readonly Sent: readonly Sent[];
}

/** The room events that were sent to a client in one namespace. */
export class RecoveryLog {
  /** The secret that identifies the client when it reconnects. */
  readonly pid: string;
  #last = 0;
  readonly #rooms = new Map<string, Position>();
  #sent: Sent[] = [];

  /**
   * Creates an empty log.
   *
   * @param pid The secret of a client that has reconnected. If omitted, the client gets a new one.
   */
  constructor(pid: string = crypto.randomUUID()) {
    this.pid = pid;
  }

  /** Numbers an event of a room whose messages are stored. */
  count(room: string, offset: number): void {
    const { Epoch, Offset } = this.#rooms.get(room) ?? { Epoch: "", Offset: offset - 1 };
    this.#sent.push([++this.#last, room, Offset, offset]);
    this.#rooms.set(room, { Epoch, Offset: offset });
    if (this.#sent.length >= 2 * MAX_EVENTS) this.#sent = this.#sent.slice(-MAX_EVENTS);
  }

  /** Returns the number of the last event, as text. */
  get stamp(): string {
    return String(this.#last);
  }

  /** Records that the client has joined or left a room, or has passed a message that is not for it. */
  moved(room: string, position: Position | undefined): void {
    if (position === undefined) return void this.#rooms.delete(room);
    const last = this.#sent.at(-1);
    if (last?.[1] === room && last[3] === position.Offset && this.#rooms.get(room)?.Epoch === position.Epoch) {
      // The event was numbered, but is not sent.
      this.#sent.pop();
      this.#last--;
    }
    this.#rooms.set(room, position);
  }

  /** Returns the state to store. */
  state(user: string | null, namespace: string): NamespaceState {
    return {
      User: user,
      Namespace: namespace,
      Last: this.#last,
      Rooms: Array.from(this.#rooms, ([room, { Epoch, Offset }]) => [room, Epoch, Offset] as const),
      Sent: this.#sent.slice(-MAX_EVENTS),
    };
  }
}

/**
 * Returns the rooms of a client with the positions of the last messages it has received.
 *
 * @param state The stored state.
 * @param stamp The number of the last event that the client has received.
 * @returns The positions, or `undefined` if the number is not valid.
 */
export function positionsAt(state: NamespaceState, stamp: unknown): Map<string, Position> | undefined {
  const last = typeof stamp === "string" && /^\d{1,15}$/.test(stamp) ? Number(stamp) : -1;
  const oldest = state.Last - state.Sent.length;
  if (last < oldest || last > state.Last) return undefined;
  const positions = new Map(state.Rooms.map(([room, Epoch, Offset]) => [room, { Epoch, Offset }]));
  // The first event that was not received determines the position of its room.
  for (const [number, room, before] of state.Sent.toReversed()) {
    if (number <= last) break;
    const position = positions.get(room);
    if (position !== undefined) positions.set(room, { ...position, Offset: before });
  }
  return positions;
}
