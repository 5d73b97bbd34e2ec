/**
 * Recovers the state of Socket.IO connections: their rooms, and the stored messages that the clients have missed.
 *
 * @module
 */

import type { Position } from "../../hub/backplane.ts";
import { roomChannel } from "../../hub/channel_name.ts";
import { type Hub, innerHub } from "../../hub/hub.ts";
import type { Codec } from "./codec.ts";
import { recoveringCodec } from "./recovery_codec.ts";
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

  /** Creates the codec of a connection. */
  codec(base: Codec): Codec {
    const active: Active = { logs: new Map(), user: null };
    return recoveringCodec(base, {
      logs: active.logs,
      opened: (id) => void this.#active.set(id, active),
      forget: (namespace) => this.#forget(active, namespace),
      restore: async (namespace, data, user) => {
        active.user = user ?? null;
        const found = await this.#restore(namespace, data, active.user);
        this.#forget(active, namespace);
        const log = new RecoveryLog(found?.pid);
        active.logs.set(namespace, log);
        this.#byPid.set(log.pid, active);
        return found?.positions;
      },
    });
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
