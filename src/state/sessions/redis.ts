/**
 * A session store in Redis or Valkey. It is shared by all machines of an application.
 *
 * The application creates the client, connects it, and closes it after the manager.
 *
 * @example Share sessions between servers
 * ```ts ignore
 * import { createClient } from "npm:@redis/client@^5";
 * import * as sessions from "@fw/web/sessions";
 * import * as redis from "@fw/web/sessions/redis";
 *
 * const client = createClient({ url: "redis://10.0.0.5:6379" });
 * const manager = sessions.New({ Store: redis.New(client) });
 * await client.connect();
 * ```
 *
 * @module
 */
import { FrameworkError } from "../../base/errors/errors.ts";
import type { Client, Options } from "../redis/client.ts";
import { type Connection, openConnection } from "../redis/connection.ts";
import {
  commitScript,
  createScript,
  destroyScript,
  destroySomeScript,
  findScript,
  loadScript,
  takeScript,
} from "./redis_scripts.ts";
import type { Changes, Store, Stored } from "./store.ts";

/**
 * Creates a session store in Redis. While Redis is unavailable, every call fails quickly.
 *
 * @param client The client. Single clients, clusters and sentinels are supported.
 * @param options The options.
 * @returns The store. Closing it does not close the client.
 * @throws {FrameworkError} If the client lacks a method or an option is invalid.
 */
export function New(client: Client, options: Options = {}): Store {
  return new RedisStore(openConnection("the Redis session store", client, options), options.Prefix ?? "fw:session:");
}

/** The maximum number of sessions that one script destroys. */
const destroyedAtOnce = 100;

/** The reply of a script that loads a row. */
type Loaded = [remaining: number, fields: string[], first?: string];

class RedisStore implements Store {
  readonly #connection: Connection;
  readonly #prefix: string;

  constructor(connection: Connection, prefix: string) {
    this.#connection = connection;
    this.#prefix = prefix;
  }

  async Load(id: string): Promise<Stored | null> {
    const reply = await (this.#connection.isKeyBound ? this.#follow(id) : this.#find(id)) as Loaded | null;
    if (reply === null) return null;
    const [remaining, fields, first = id] = reply;
    return new StoredRow(this.#connection, this.#prefix, first, id, slotsOf(fields), remaining);
  }

  async Create(id: string, slots: ReadonlyMap<string, string>, lifetime: number): Promise<boolean> {
    const time = String(Math.ceil(lifetime));
    const values = [id, time];
    for (const [slot, text] of slots) values.push(`:${slot}`, text);
    const row = rowKey(this.#prefix, id);
    if (await this.#connection.run(createScript, [row], values) !== 1) return false;
    const isNew = await this.#connection.send(["SET", idKey(this.#prefix, id), id, "NX", "PX", time]) === "OK";
    if (!isNew) await this.#connection.send(["DEL", row]);
    return isNew;
  }

  async DestroyAll(): Promise<string[]> {
    if (this.#connection.isKeyBound) {
      throw new FrameworkError(
        "FW_SESSION",
        "Cannot destroy all sessions: a Redis cluster, or a client that adds a prefix, cannot list the keys",
      );
    }
    // The keys are read in batches, because a script that reads all of them would block Redis. The key of a row does
    // not change with its ID, so no session is missed.
    const pattern = rowKey(this.#prefix, "").replace(/[\\*?[\]]/g, "\\$&") + "*";
    const ids: string[] = [];
    let cursor = "0";
    do {
      const command = ["SCAN", cursor, "MATCH", pattern, "COUNT", "1000"];
      const [next, keys] = await this.#connection.send(command) as [string, string[]];
      // A script blocks Redis, so each one destroys only some of the sessions.
      for (let at = 0; at < keys.length; at += destroyedAtOnce) {
        const rows = keys.slice(at, at + destroyedAtOnce);
        ids.push(...await this.#connection.run(destroySomeScript, rows, [this.#prefix]) as string[]);
      }
      cursor = String(next);
    } while (cursor !== "0");
    return ids;
  }

  Close(): void {
    this.#connection.close();
  }

  #find(id: string): Promise<unknown> {
    return this.#connection.run(findScript, [idKey(this.#prefix, id)], [this.#prefix, id]);
  }

  /** Finds a row that may be on another node than its ID. */
  async #follow(id: string): Promise<unknown> {
    const first = await this.#connection.send(["GET", idKey(this.#prefix, id)]) as string | null;
    if (first === null) return null;
    const reply = await this.#connection.run(loadScript, [rowKey(this.#prefix, first)], [id]) as Loaded | null;
    return reply === null ? null : [...reply, first];
  }
}

/** A session as loaded by a request. */
class StoredRow implements Stored {
  readonly #connection: Connection;
  readonly #prefix: string;
  readonly #first: string;
  readonly #id: string;
  readonly Slots: ReadonlyMap<string, string>;
  readonly Remaining: number;

  constructor(
    connection: Connection,
    prefix: string,
    first: string,
    id: string,
    slots: ReadonlyMap<string, string>,
    remaining: number,
  ) {
    this.#connection = connection;
    this.#prefix = prefix;
    this.#first = first;
    this.#id = id;
    this.Slots = slots;
    this.Remaining = remaining;
  }

  async Commit(changes: Changes): Promise<boolean> {
    const { ID, Lifetime } = changes;
    const lifetime = Lifetime === undefined ? "" : String(Math.ceil(Lifetime));
    const sizes = [changes.Set.size, changes.Add.size, changes.Delete.size];
    const values = [this.#id, ID ?? "", lifetime, ...sizes.map(String)];
    for (const [slot, text] of changes.Set) values.push(`:${slot}`, text);
    for (const [slot, n] of changes.Add) values.push(`:${slot}`, String(n));
    for (const slot of changes.Delete) values.push(`:${slot}`);
    if (ID !== undefined) return await this.#move(ID, values, Lifetime ?? this.Remaining);
    const [id] = await Promise.all([
      this.#run(commitScript, values) as Promise<string | null>,
      lifetime === "" ? undefined : this.#expire(this.#id, lifetime),
    ]);
    // Another request may have changed the ID since the session was loaded.
    if (id !== null && id !== this.#id && lifetime !== "") await this.#expire(id, lifetime);
    return id !== null;
  }

  async Take(slot: string): Promise<string | null> {
    return await this.#run(takeScript, [`:${slot}`]) as string | null;
  }

  async Destroy(): Promise<boolean> {
    const id = await this.#run(destroyScript, []) as string | null;
    if (id !== null) await this.#forget(id);
    return id !== null;
  }

  /** Commits changes that include another ID. */
  async #move(id: string, values: readonly string[], lifetime: number): Promise<boolean> {
    const key = idKey(this.#prefix, id);
    const time = String(Math.max(1, Math.ceil(lifetime)));
    if (await this.#connection.send(["SET", key, this.#first, "NX", "PX", time]) !== "OK") return false;
    const isMoved = await this.#run(commitScript, values) !== null;
    await this.#forget(isMoved ? this.#id : id);
    return isMoved;
  }

  #run(script: typeof commitScript, values: readonly string[]): Promise<unknown> {
    return this.#connection.run(script, [rowKey(this.#prefix, this.#first)], values);
  }

  #expire(id: string, lifetime: string): Promise<unknown> {
    return this.#connection.send(["PEXPIRE", idKey(this.#prefix, id), lifetime]);
  }

  /** Removes an ID that is not valid anymore. If this fails, the ID still leads to no session, and it expires. */
  async #forget(id: string): Promise<void> {
    await this.#connection.send(["DEL", idKey(this.#prefix, id)]).catch(() => {});
  }
}

function idKey(prefix: string, id: string): string {
  return `${prefix}id:${id}`;
}

function rowKey(prefix: string, first: string): string {
  return `${prefix}row:${first}`;
}

function slotsOf(fields: readonly string[]): Map<string, string> {
  const slots = new Map<string, string>();
  for (let i = 0; i + 1 < fields.length; i += 2) {
    const field = fields[i] as string;
    if (field.startsWith(":")) slots.set(field.slice(1), fields[i + 1] as string);
  }
  return slots;
}
