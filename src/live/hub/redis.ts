/**
 * A Redis or Valkey backplane. It shares topics and rooms between machines.
 *
 * The application creates the client, connects it, and closes it after the hub.
 *
 * @example Share rooms between machines
 * ```ts ignore
 * import { createClient } from "npm:@redis/client@^5";
 * import * as live from "@fw/web/live";
 * import * as redis from "@fw/web/live/redis";
 * import * as websocket from "@fw/web/websocket";
 *
 * const client = createClient({ url: "redis://10.0.0.5:6379" });
 * const hub = live.New({ Backplane: redis.New(client) });
 * const server = websocket.New({ Hub: hub });
 * await client.connect();
 * ```
 *
 * @module
 */
import { markBounded } from "./unavailable.ts";
import { checkSubscriber, type Client, type Options } from "../../state/redis/client.ts";
import { type Connection, openConnection, type Script, script } from "../../state/redis/connection.ts";
import { RedisSubscriber } from "../../state/redis/subscriber.ts";
import type { Backplane, Entry, Listener, Log, Position, Retention } from "./backplane.ts";

const owner = "the Redis backplane";

/** The time to keep a channel's numbering after its messages have expired, in milliseconds. */
const NUMBERING_MS = 86_400_000;
/** The maximum time to store a row of a dead process, in milliseconds. */
const ROW_MS = 3_600_000;

/**
 * Creates a Redis backplane. While Redis is unavailable, connections stay open and publishing fails. Missed messages
 * are read when Redis is available again.
 *
 * Subscriptions use a separate connection. A cluster or a sentinel opens it, and any other client is duplicated.
 *
 * @param client The client. Single clients, clusters and sentinels are supported.
 * @param options The options.
 * @returns The backplane. The hub closes it, and with it the duplicate, but not the client.
 * @throws {FrameworkError} If the client lacks a method or an option is invalid.
 */
export function New(client: Client, options: Options = {}): Backplane {
  const connection = openConnection(owner, client, options, 1_000);
  const { Prefix = "fw:live:", Timeout = 1_000 } = options;
  checkSubscriber(owner, client, connection.driver);
  return markBounded(new RedisBackplane(connection, new RedisSubscriber(connection.driver, client, Timeout), Prefix));
}

// Each script accesses the keys of only one channel. These keys share a hash tag, so a cluster stores them on the same
// node.
/** KEYS: numbering, stream. ARGV: new epoch, history, lifetime, lifetime of the numbering, channel, payload. */
const publishScript: Script = script(`
  local epoch = redis.call('HGET', KEYS[1], 'e')
  if not epoch then
    epoch = ARGV[1]
    redis.call('HSET', KEYS[1], 'e', epoch, 'o', 0)
    redis.call('DEL', KEYS[2])
  end
  local offset = redis.call('HINCRBY', KEYS[1], 'o', 1)
  if tonumber(ARGV[2]) > 0 then
    redis.call('XADD', KEYS[2], 'MAXLEN', ARGV[2], offset .. '-0', 'p', ARGV[6])
    redis.call('PEXPIRE', KEYS[2], ARGV[3])
  end
  redis.call('PEXPIRE', KEYS[1], ARGV[4])
  redis.call('PUBLISH', ARGV[5], offset .. ':' .. epoch .. ':' .. ARGV[6])
  return { epoch, offset }`);

/** KEYS: numbering, stream. ARGV: new epoch, offset, limit, lifetime of the numbering. */
const readScript: Script = script(`
  local at = redis.call('HMGET', KEYS[1], 'e', 'o')
  if not at[1] then
    at = { ARGV[1], '0' }
    redis.call('HSET', KEYS[1], 'e', at[1], 'o', 0)
    redis.call('DEL', KEYS[2])
    redis.call('PEXPIRE', KEYS[1], ARGV[4])
  end
  local entries = {}
  if tonumber(ARGV[2]) < tonumber(at[2]) then
    entries = redis.call('XRANGE', KEYS[2], '(' .. ARGV[2] .. '-0', '+', 'COUNT', ARGV[3])
  end
  return { at[1], at[2], entries }`);

// Leases use the clock of the Redis server, because the machines' clocks may differ.
/** KEYS: leases. ARGV: process, lifetime. */
const renewScript: Script = script(`
  local time = redis.call('TIME')
  local now = time[1] * 1000 + math.floor(time[2] / 1000)
  redis.call('ZADD', KEYS[1], now + tonumber(ARGV[2]), ARGV[1])
  redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
  redis.call('PEXPIRE', KEYS[1], 86400000)`);

/** KEYS: leases. Returns the processes whose lease is valid. */
const nodesScript: Script = script(`
  local time = redis.call('TIME')
  local now = time[1] * 1000 + math.floor(time[2] / 1000)
  return redis.call('ZRANGEBYSCORE', KEYS[1], '(' .. now, '+inf')`);

class RedisBackplane implements Backplane {
  readonly IsLossless = false;
  readonly #connection: Connection;
  readonly #subscriber: RedisSubscriber;
  readonly #prefix: string;

  constructor(connection: Connection, subscriber: RedisSubscriber, prefix: string) {
    this.#connection = connection;
    this.#subscriber = subscriber;
    this.#prefix = prefix;
  }

  async Publish(channel: string, payload: string, { History, For }: Retention): Promise<Position> {
    const values = [epoch(), String(History), String(Math.ceil(For)), String(Math.ceil(For + NUMBERING_MS))];
    const name = this.#prefix + channel;
    const found = await this.#connection.run(publishScript, this.#keys(channel), [...values, name, payload]);
    const [Epoch, Offset] = found as [string, number];
    return { Epoch, Offset };
  }

  async Read(channel: string, after: number, limit: number): Promise<Log> {
    const values = [
      epoch(),
      after === Infinity ? "9007199254740991" : String(after),
      String(limit),
      String(NUMBERING_MS),
    ];
    const found = await this.#connection.run(readScript, this.#keys(channel), values);
    const [Epoch, offset, rows] = found as [string, string, [id: string, fields: [string, string]][]];
    return { Epoch, Offset: Number(offset), Entries: rows.map(entryOf) };
  }

  async Listen(channel: string, listener: Listener): Promise<void> {
    await this.#subscriber.add(this.#prefix + channel, {
      take: (text) => take(listener, text),
      missed: () => listener.Missed(),
    });
  }

  Unlisten(channel: string): void {
    this.#subscriber.remove(this.#prefix + channel);
  }

  async Renew(node: string, lifetime: number): Promise<void> {
    await this.#connection.run(renewScript, [`${this.#prefix}nodes`], [node, String(lifetime)]);
  }

  async Put(table: string, node: string, field: string, value: string | null): Promise<void> {
    const key = `${this.#prefix}t:${table}`;
    if (value === null) return void await this.#connection.send(["HDEL", key, field]);
    await this.#connection.send(["HSET", key, field, `${node}:${value}`]);
    await this.#connection.send(["PEXPIRE", key, String(ROW_MS)]);
  }

  async Rows(table: string): Promise<ReadonlyMap<string, string>> {
    const key = `${this.#prefix}t:${table}`;
    const [nodes, flat] = await Promise.all([
      this.#connection.run(nodesScript, [`${this.#prefix}nodes`], []) as Promise<string[]>,
      this.#connection.send(["HGETALL", key]) as Promise<Hash>,
    ]);
    const alive = new Set(nodes);
    const rows = new Map<string, string>();
    const dead: string[] = [];
    for (const [field, row] of pairsOf(flat)) {
      const border = row.indexOf(":");
      if (alive.has(row.slice(0, border))) rows.set(field, row.slice(border + 1));
      else dead.push(field);
    }
    if (dead.length > 0) await this.#connection.send(["HDEL", key, ...dead]);
    return rows;
  }

  async Claim(key: string, value: string, lifetime: number): Promise<string | null> {
    const name = `${this.#prefix}c:${key}`;
    for (;;) {
      if (await this.#connection.send(["SET", name, value, "NX", "PX", String(lifetime)]) === "OK") return null;
      const found = await this.#connection.send(["GET", name]) as string | null;
      // The key may have been removed in the meantime.
      if (found !== null) return found;
    }
  }

  async Settle(key: string, value: string | null, lifetime: number): Promise<void> {
    const name = `${this.#prefix}c:${key}`;
    await this.#connection.send(value === null ? ["DEL", name] : ["SET", name, value, "PX", String(lifetime)]);
  }

  Close(): void {
    this.#subscriber.close();
    this.#connection.close();
  }

  #keys(channel: string): string[] {
    const tag = `${this.#prefix}{${channel.replaceAll(/[{}]/g, "_")}}`;
    // The hash tag alone would be the same for names that only differ in braces.
    return [`${tag}${channel}:n`, `${tag}${channel}:s`];
  }
}

function take(listener: Listener, text: string): void {
  const first = text.indexOf(":");
  const second = text.indexOf(":", first + 1);
  listener.Receive(text.slice(first + 1, second), {
    Offset: Number(text.slice(0, first)),
    Payload: text.slice(second + 1),
  });
}

function entryOf([id, fields]: [string, [string, string]]): Entry {
  return { Offset: Number(id.split("-", 1)[0]), Payload: fields[1] };
}

/** A hash. RESP2 returns a flat array of names and values, and RESP3 returns a map. */
type Hash = string[] | Map<string, string> | Record<string, string>;

/** Converts a hash to pairs. */
function pairsOf(flat: Hash): Iterable<[string, string]> {
  if (flat instanceof Map) return flat;
  if (!Array.isArray(flat)) return Object.entries(flat);
  return Array.from({ length: flat.length / 2 }, (_, at) => [flat[2 * at] ?? "", flat[2 * at + 1] ?? ""]);
}

function epoch(): string {
  return crypto.randomUUID().slice(0, 8);
}
