/**
 * Recovers the state of Socket.IO connections: their rooms, and the stored messages that the clients have missed.
 *
 * @module
 */

import type { Position } from "../../hub/backplane.ts";
import { roomChannel } from "../../hub/channel_name.ts";
import { type Hub, innerHub } from "../../hub/hub.ts";
import type { Codec, Message } from "./codec.ts";
import { Op } from "./packet.ts";
import { type NamespaceState, positionsAt, RecoveryLog } from "./recovery_log.ts";

/** A connection in this process whose state has not been stored yet. */
interface Active {
  readonly logs: Map<string, RecoveryLog>;
  user: string | null;
}

/** Stores the state of connections that have ended, and restores it when their clients reconnect. */
export class Recovery {
  readonly #server: { readonly Hub: Hub; readonly Name: string };
  readonly #lifetime: number;
  /** The connections by their ID, and by the secrets of their clients. */
  readonly #active = new Map<string, Active>();
  readonly #byPid = new Map<string, Active>();

  /**
   * Creates a store on the hub of a server.
   *
   * @param server The hub, and the name of the server on it.
   * @param lifetime The time to store the state of a connection that has ended, in milliseconds.
   */
  constructor(server: { readonly Hub: Hub; readonly Name: string }, lifetime: number) {
    this.#server = server;
    this.#lifetime = lifetime;
  }

  /** Creates the codec of a connection. Each connection has its own. */
  codec(base: Codec): Codec {
    const active: Active = { logs: new Map(), user: null };
    const { logs } = active;
    const forget = (namespace: string) => this.#forget(active, namespace);
    let isLeaving = false;
    const stamped = (namespace: string, message: Message) => withStamp(message, logs.get(namespace)?.stamp);
    return {
      ...base,
      restore: async (namespace, data, user) => {
        active.user = user ?? null;
        const found = await this.#restore(namespace, data, active.user);
        forget(namespace);
        const log = new RecoveryLog(found?.pid);
        logs.set(namespace, log);
        this.#byPid.set(log.pid, active);
        return found?.positions;
      },
      // Clients do not count events that they reply to.
      event: (id, namespace, event, data) => {
        const message = base.event(id, namespace, event, data);
        return id > 0 ? message : stamped(namespace, message);
      },
      room: (namespace, room, offset, payload) => {
        if (offset > 0) logs.get(namespace)?.count(room, offset);
        return stamped(namespace, base.room(namespace, room, offset, payload));
      },
      moved: (namespace, room, position) => {
        logs.get(namespace)?.moved(room, position);
        return undefined;
      },
      gap: (namespace, room, gap, position) => {
        logs.get(namespace)?.moved(room, position);
        return stamped(namespace, base.gap(namespace, room, gap, position)) as string | undefined;
      },
      connected: (id, namespace, sid) => {
        const message = base.connected(id, namespace, sid);
        const pid = logs.get(namespace)?.pid;
        return pid === undefined ? message : message?.replace(/\}$/, `,"pid":"${pid}"}`);
      },
      refused: (id, namespace, failure) => {
        forget(namespace);
        return base.refused(id, namespace, failure);
      },
      disconnected: (namespace) => {
        if (!isLeaving) forget(namespace);
        return base.disconnected(namespace);
      },
      hello: (id, idle) => {
        this.#active.set(id, active);
        return base.hello(id, idle);
      },
      reader() {
        const read = base.reader();
        return (data) => {
          const packets = read(data);
          for (const [op, , namespace] of packets ?? []) {
            if (op === Op.Disconnect) forget(String(namespace));
            // The client has closed the transport, but has not left its namespaces.
            if (op === Op.Close) isLeaving = true;
          }
          return packets;
        };
      },
    };
  }

  async #restore(
    namespace: string,
    data: unknown,
    user: string | null,
  ): Promise<{ pid: string; positions: Map<string, Position> } | undefined> {
    const { pid, offset } = (data ?? {}) as { pid?: unknown; offset?: unknown };
    if (typeof pid !== "string" || !/^[\w-]{36}$/.test(pid)) return undefined;
    try {
      const state = this.#takeActive(pid, namespace) ?? await this.#take(pid);
      if (state === undefined || state.User !== user || state.Namespace !== namespace) return undefined;
      const positions = positionsAt(state, offset);
      return positions !== undefined && await this.#isStored(namespace, positions) ? { pid, positions } : undefined;
    } catch (error) {
      innerHub(this.#server.Hub).report("Cannot recover a connection:", error);
      return undefined;
    }
  }

  /** Takes the state of a connection in this process. The client may be faster than the handlers that end it. */
  #takeActive(pid: string, namespace: string): NamespaceState | undefined {
    const active = this.#byPid.get(pid);
    const log = active?.logs.get(namespace);
    if (active === undefined || log?.pid !== pid) return undefined;
    this.#forget(active, namespace);
    return log.state(active.user, namespace);
  }

  /** Forgets the state in a namespace, because the client has left or another connection has taken the state. */
  #forget({ logs }: Active, namespace: string): void {
    this.#byPid.delete(logs.get(namespace)?.pid ?? "");
    logs.delete(namespace);
  }

  async #take(pid: string): Promise<NamespaceState | undefined> {
    const { backplane } = innerHub(this.#server.Hub);
    const stored = await backplane.Claim(this.#key(pid), "", this.#lifetime);
    await backplane.Settle(this.#key(pid), null, this.#lifetime);
    return stored === null || stored === "" ? undefined : JSON.parse(stored);
  }

  /** Reports whether all messages after the positions are still stored. */
  async #isStored(namespace: string, positions: ReadonlyMap<string, Position>): Promise<boolean> {
    const { backplane } = innerHub(this.#server.Hub);
    for (const [room, { Epoch, Offset: offset }] of positions) {
      if (Epoch === "") continue;
      const log = await backplane.Read(roomChannel(namespace, room), offset, 1, Epoch);
      const isComplete = log.Offset === offset || log.Entries[0]?.Offset === offset + 1;
      if (log.Epoch !== Epoch || !isComplete) return false;
    }
    return true;
  }

  /** Stores the state of a connection that has ended. */
  async store(id: string): Promise<void> {
    const active = this.#active.get(id);
    this.#active.delete(id);
    const { backplane } = innerHub(this.#server.Hub);
    for (const [namespace, log] of active?.logs ?? []) {
      const state = log.state(active?.user ?? null, namespace);
      this.#byPid.delete(log.pid);
      await backplane.Claim(this.#key(log.pid), JSON.stringify(state), this.#lifetime);
    }
  }

  #key(pid: string): string {
    return `recovery:${JSON.stringify([this.#server.Name, pid])}`;
  }
}

/** Appends the number of the last room event to the arguments of an event. */
function withStamp(message: Message, stamp: string | undefined): Message {
  if (stamp === undefined || message === undefined || message instanceof Uint8Array) return message;
  if (typeof message === "string") return `${message.slice(0, -1)},"${stamp}"]`;
  const [text = "", ...attachments] = message;
  return [withStamp(text, stamp) as string, ...attachments];
}
