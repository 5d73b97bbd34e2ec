/**
 * Messages between the servers on a hub. They reach connections in all processes: all connections of a namespace, or
 * those of a user or session, which are then closed or moved to a room.
 *
 * @module
 */

import type { SessionEnd } from "../../core/exchange/stream_terms.ts";
import type { Retention } from "../hub/backplane.ts";
import { ownChannel } from "../hub/channel_name.ts";
import { innerHub, publish } from "../hub/hub.ts";
import { type Audience, payloadOf, type PayloadParts } from "../hub/payload.ts";
import { Subscription } from "../hub/subscription.ts";
import type { RoomEmitter } from "./conn.ts";
import { emitterTo, isInAudience } from "./emitter.ts";
import type { Link } from "./link.ts";
import type { Settings } from "./options.ts";
import type { Fetched, FetchedConn } from "./processes/fetched.ts";
import { Processes } from "./processes/processes.ts";
import { roomDestination } from "./room_member.ts";
import type { Codec, Message } from "./wire/codec.ts";

/**
 * The retention of requests to close connections. They are stored, because a process must not miss one while the
 * backplane is unreachable.
 */
const CONTROL_RETENTION: Retention = { History: 1_000, For: 600_000 };

/**
 * The connections to close in all processes: those of a user, those of a session, or those of a session that has got
 * another ID.
 */
export type Target = "disconnect" | "session" | "renamed";

interface Closing {
  readonly code: number;
  readonly reason: string;
  /** Returns the ID of the user or session. */
  idOf(link: Link): string | undefined;
}

const closings: Readonly<Record<Target, Closing>> = {
  disconnect: { code: 4403, reason: "Disconnected", idOf: ({ user }) => user?.ID },
  session: { code: 4401, reason: "The session has ended", idOf: ({ sessionID }) => sessionID },
  // The browser reconnects with its new cookie. Others that knew the old ID are out.
  renamed: { code: 4409, reason: "The session has another ID", idOf: ({ sessionID }) => sessionID },
};

/** Closes a connection because its session has ended or has another ID. */
export function closeLink(link: Link, why: SessionEnd): void {
  const { code, reason } = closings[why === "ended" ? "session" : why];
  link.close(code, reason);
}

/** The connections of a user to move to a room or out of it. */
export interface Move {
  readonly user: string;
  readonly namespace: string;
  readonly room: string;
  readonly isJoin: boolean;
}

/** The connections to find. */
export interface FetchQuery {
  readonly namespace: string;
  readonly room?: string | undefined;
  readonly user?: string | undefined;
}

/** A request that expects a response. */
interface Asked {
  readonly id: string;
}

/** Sends messages to the connections of all processes, and receives the messages for those of this process. */
export class HubMessages {
  readonly #settings: Pick<Settings, "Hub" | "Name" | "Rooms">;
  readonly #processes: Processes;
  readonly #links: ReadonlySet<Link>;
  /** The channels of the server. Other servers on the hub may have users with the same IDs. */
  readonly #broadcasts: string;
  readonly #control: string;
  readonly #requests: string;
  #subscriptions: readonly Subscription[] = [];

  /**
   * Creates the messages of a server. It does not receive any until `listen` is called.
   *
   * @param settings The server settings, which include the hub and the server's name on it.
   * @param links The open connections in this process.
   */
  constructor(settings: Pick<Settings, "Hub" | "Name" | "Rooms">, links: ReadonlySet<Link>) {
    const { Hub: hub, Name: name } = settings;
    this.#settings = settings;
    this.#processes = new Processes(hub, name);
    this.#links = links;
    this.#broadcasts = ownChannel("all", name);
    this.#control = ownChannel("control", name);
    this.#requests = ownChannel("requests", name);
  }

  /** Creates an emitter for the connections of a namespace, or for those of a user. */
  emitter(namespace: string, audience?: Audience): RoomEmitter {
    const receivers = { ...audience, ...namespace !== "" && { Namespace: namespace } };
    return emitterTo({
      hub: this.#settings.Hub,
      destinations: [{ channel: this.#broadcasts, audience: receivers }],
      roomOf: (room) => roomDestination(this.#settings, namespace, room),
    });
  }

  /** Moves the connections of a user to a room or out of it. */
  async move(move: Move): Promise<void> {
    await this.#processes.ask((id) => this.#command("move", { ...move, id }));
  }

  /** Finds the connections in all processes. */
  fetch(query: FetchQuery, timeout: number): Promise<Fetched> {
    const send = (id: string) => publish(this.#settings.Hub, this.#requests, payloadOf("fetch", { ...query, id }));
    return this.#processes.ask(send, timeout);
  }

  /** Closes the connections of a user or session. */
  close(target: Target, id: string): Promise<void> {
    return this.#command(target, id);
  }

  #command(name: string, data: unknown): Promise<void> {
    const retention = innerHub(this.#settings.Hub).backplane.IsLossless ? undefined : CONTROL_RETENTION;
    return publish(this.#settings.Hub, this.#control, payloadOf(name, data), retention);
  }

  /**
   * Starts receiving messages.
   *
   * @returns A promise if the backplane does not deliver the messages yet. It resolves within a limited time.
   */
  listen(): Promise<void> | undefined {
    if (this.#subscriptions.length === 0) this.#subscribe();
    const waiting = this.#subscriptions.filter(({ isAttempted }) => !isAttempted);
    if (waiting.length === 0) return undefined;
    return Promise.all(waiting.map((each) => each.attempted())).then(() => {});
  }

  #subscribe(): void {
    const inner = innerHub(this.#settings.Hub);
    const control = new Subscription(inner, this.#control, {
      receive: ({ event, data }) => event === "move" ? this.#move(data as Move & Asked) : this.#close(event, data),
      missed: ({ Reason }) => inner.report("Cannot read all requests to close connections:", new Error(Reason)),
    });
    const broadcasts = new Subscription(inner, this.#broadcasts, {
      receive: (message) => this.#emit(message),
      // Broadcasts are delivered at most once.
      missed() {},
    });
    const requests = new Subscription(inner, this.#requests, {
      receive: ({ data }) => this.#processes.respond((data as Asked).id, this.#rowsOf(data as FetchQuery)),
      // The other process does not wait for long.
      missed() {},
    });
    this.#subscriptions = [control, broadcasts, requests];
    this.#processes.enter();
  }

  /** Stops receiving messages. */
  unlisten(): void {
    const subscriptions = this.#subscriptions;
    this.#subscriptions = [];
    for (const each of subscriptions) each.stop();
    if (subscriptions.length > 0) this.#processes.leave();
  }

  #close(target: string, id: unknown): void {
    // Processes with another version of fw may send messages that are unknown here.
    if (!Object.hasOwn(closings, target)) return;
    const { code, reason, idOf } = closings[target as Target];
    for (const link of this.#links) if (idOf(link) === id) link.close(code, reason);
  }

  async #move(move: Move & Asked): Promise<void> {
    const { user, namespace, room, isJoin } = move;
    const moving = [...this.#links].filter((link) => link.user?.ID === user)
      .flatMap(({ parts }) => parts.filter((part) => part.Namespace === namespace))
      .map((conn) => isJoin ? conn.Join(room) : conn.Leave(room));
    for (const outcome of await Promise.allSettled(moving)) {
      if (outcome.status === "fulfilled") continue;
      innerHub(this.#settings.Hub).report(`Cannot move a connection to or from "${room}":`, outcome.reason);
    }
    this.#processes.respond(move.id, []);
  }

  /** Returns the connections of this process. */
  #rowsOf({ namespace, room, user }: FetchQuery): FetchedConn[] {
    const rows: FetchedConn[] = [];
    for (const link of this.#links) {
      const part = link.parts.find(({ Namespace }) => Namespace === namespace);
      if (part === undefined || user !== undefined && link.user?.ID !== user) continue;
      const Rooms = part.Rooms();
      if (room === undefined || Rooms.includes(room)) rows.push({ ID: link.id, User: link.user?.ID ?? "", Rooms });
    }
    return rows;
  }

  #emit({ audience = {}, event, data }: PayloadParts): void {
    const { Namespace: namespace = "" } = audience;
    // Connections with the same codec share the serialized event.
    const packets = new Map<Codec, Message>();
    for (const link of this.#links) {
      const part = link.parts.find(({ Namespace }) => Namespace === namespace);
      if (part === undefined || !isInAudience(audience, link, part)) continue;
      let packet = packets.get(link.codec);
      if (packet === undefined) packets.set(link.codec, packet = link.codec.event(0, namespace, event, data));
      link.sendLatest(packet, namespace, event);
    }
  }
}
