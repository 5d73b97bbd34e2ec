/**
 * A session store in Redis or Valkey. It is shared by all machines of an application.
 *
 * @example Share sessions between servers
 * ```ts ignore
 * import * as sessions from "@fw/web/sessions";
 * import * as redis from "@fw/web/sessions/redis";
 *
 * const manager = sessions.New({ Store: redis.New({ URL: "redis://10.0.0.5:6379" }) });
 * ```
 *
 * @module
 */
import { checkOptions, type OptionRules } from "../config/check_options.ts";
import { type Connection, openConnection } from "../store/redis_connection.ts";
import {
  commitScript,
  createScript,
  destroyAllScript,
  destroyScript,
  loadScript,
  takeScript,
} from "./redis_scripts.ts";
import type { Changes, Store, Stored } from "./store.ts";

/** Options for {@linkcode New}. */
export interface Config {
  /**
   * The server URL: `redis://[user:password@]host[:port][/database]`, or `rediss://` for TLS. The server can be
   * standalone or the primary of a replication. Clusters are not supported, since the keys of a session may belong to
   * several hash slots.
   */
  URL: string;
  /**
   * The prefix of every key.
   *
   * @default {"fw:session:"}
   */
  Prefix?: string;
  /**
   * The time limit for connecting and for each command, in milliseconds.
   *
   * @default {450}
   */
  Timeout?: number;
}

const optionRules: OptionRules<Config> = {
  URL: "string",
  Prefix: "string",
  Timeout: "number",
};

/**
 * Creates a session store in Redis. It connects on first use and reconnects if the connection is lost. While Redis is
 * unavailable, every call fails quickly.
 *
 * @param config The options.
 * @returns The store. Close it when the application ends.
 * @throws {FrameworkError} If the URL or the time limit is invalid.
 */
export function New(config: Config): Store {
  checkOptions("the Redis session store", config, optionRules);
  return new RedisStore(openConnection(config.URL, config.Timeout), config.Prefix ?? "fw:session:");
}

class RedisStore implements Store {
  readonly #connection: Connection;
  readonly #prefix: string;

  constructor(connection: Connection, prefix: string) {
    this.#connection = connection;
    this.#prefix = prefix;
  }

  async Load(id: string): Promise<Stored | null> {
    const reply = await this.#connection.run(loadScript, [idKey(this.#prefix, id)], [this.#prefix]);
    if (reply === null) return null;
    const [first, remaining, fields] = reply as [string, number, string[]];
    if (fields.length === 0) return null;
    return new StoredRow(this.#connection, this.#prefix, first, id, slotsOf(fields), remaining);
  }

  async Create(id: string, slots: ReadonlyMap<string, string>, lifetime: number): Promise<boolean> {
    const values = [id, String(Math.ceil(lifetime))];
    for (const [slot, text] of slots) values.push(`:${slot}`, text);
    const keys = [idKey(this.#prefix, id), rowKey(this.#prefix, id)];
    return await this.#connection.run(createScript, keys, values) === 1;
  }

  // The keys are read in batches, because a script that reads all of them would block Redis. The key of a row does not
  // change with its ID, so no session is missed.
  async DestroyAll(): Promise<string[]> {
    const pattern = rowKey(this.#prefix, "").replace(/[\\*?[\]]/g, "\\$&") + "*";
    const ids: string[] = [];
    let cursor = "0";
    do {
      const command = ["SCAN", cursor, "MATCH", pattern, "COUNT", "1000"];
      const [next, keys] = await this.#connection.send(command) as [string, string[]];
      if (keys.length > 0) ids.push(...await this.#connection.run(destroyAllScript, keys, [this.#prefix]) as string[]);
      cursor = String(next);
    } while (cursor !== "0");
    return ids;
  }

  Close(): void {
    this.#connection.close();
  }
}

/** A session as loaded by a request. */
class StoredRow implements Stored {
  readonly #connection: Connection;
  readonly #prefix: string;
  readonly #key: string;
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
    this.#key = rowKey(prefix, first);
    this.#id = id;
    this.Slots = slots;
    this.Remaining = remaining;
  }

  async Commit(changes: Changes): Promise<boolean> {
    const lifetime = changes.Lifetime === undefined ? "" : String(Math.ceil(changes.Lifetime));
    const sizes = [changes.Set.size, changes.Add.size, changes.Delete.size];
    const values = [this.#prefix, this.#id, changes.ID ?? "", lifetime, ...sizes.map(String)];
    for (const [slot, text] of changes.Set) values.push(`:${slot}`, text);
    for (const [slot, n] of changes.Add) values.push(`:${slot}`, String(n));
    for (const slot of changes.Delete) values.push(`:${slot}`);
    return await this.#connection.run(commitScript, [this.#key], values) === 1;
  }

  async Take(slot: string): Promise<string | null> {
    return await this.#connection.run(takeScript, [this.#key], [`:${slot}`]) as string | null;
  }

  async Destroy(): Promise<boolean> {
    return await this.#connection.run(destroyScript, [this.#key], [this.#prefix]) === 1;
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
