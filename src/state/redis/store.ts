/**
 * A shared store in Redis or Valkey for applications that run on several machines.
 *
 * The application creates the client, connects it, and closes it after the store.
 *
 * @example Share limits between servers
 * ```ts ignore
 * import { createClient } from "npm:@redis/client@^5";
 * import * as redis from "@fw/web/store/redis";
 *
 * const client = createClient({ url: "redis://10.0.0.5:6379" });
 * const store = redis.New(client);
 * await client.connect();
 * ```
 *
 * @module
 */
import type { Client, Options } from "./client.ts";
import { type Connection, openConnection, type Script, script } from "./connection.ts";
import { paceOf, type Rate, type Taken, takenOf } from "../store/rate.ts";
import { boundedKey, type Store } from "../store/store.ts";

export type { Client, IORedisClient, Options, RedisClient } from "./client.ts";

/**
 * Creates a shared store in Redis. While Redis is unavailable, every call fails quickly.
 *
 * @param client The client. Single clients, clusters and sentinels are supported.
 * @param options The options.
 * @returns The store. Closing it does not close the client.
 * @throws {FrameworkError} If the client lacks a method or an option is invalid.
 */
export function New(client: Client, options: Options = {}): Store {
  return new RedisStore(openConnection("the Redis store", client, options), options.Prefix ?? "fw:shared:");
}

// The script uses the clock of Redis, because the clocks of the machines may differ by more than an interval. Numbers
// up to 2^53 are exact in Lua.
/** ARGV: spacing and capacity, in microseconds. Returns whether the request is allowed, and the backlog. */
const takeScript: Script = script(`
  local time = redis.call('TIME')
  local now = time[1] * 1000000 + time[2]
  local spacing, capacity = tonumber(ARGV[1]), tonumber(ARGV[2])
  local idle = tonumber(redis.call('GET', KEYS[1]) or now) or now
  local backlog = math.min(math.max(idle - now, 0), capacity)
  local allowed = backlog + spacing <= capacity
  if allowed then backlog = backlog + spacing end
  if allowed or idle - now > capacity then
    redis.call('SET', KEYS[1], string.format('%.0f', now + backlog), 'PX', math.ceil(backlog / 1000))
  end
  return { allowed and 1 or 0, backlog }`);

/** ARGV: the number to add, lifetime. Returns the sum as a string, since Redis truncates Lua numbers to integers. */
const incrementScript: Script = script(`
  local before = redis.call('GET', KEYS[1])
  local sum = string.format('%.17g', (tonumber(before or 0) or 0) + tonumber(ARGV[1]))
  if before then redis.call('SET', KEYS[1], sum, 'KEEPTTL')
  else redis.call('SET', KEYS[1], sum, 'PX', ARGV[2]) end
  return sum`);

class RedisStore implements Store {
  readonly #connection: Connection;
  readonly #prefix: string;

  constructor(connection: Connection, prefix: string) {
    this.#connection = connection;
    this.#prefix = prefix;
  }

  async Take(key: string, rate: Rate): Promise<Taken> {
    const pace = paceOf(rate);
    const values = [String(pace.spacing), String(pace.capacity)];
    const [isAllowed, backlog] = await this.#connection.run(takeScript, [this.#key(key)], values) as [number, number];
    return takenOf(pace, isAllowed === 1, backlog);
  }

  async Increment(key: string, n: number, lifetime: number): Promise<number> {
    return Number(await this.#connection.run(incrementScript, [this.#key(key)], [String(n), millis(lifetime)]));
  }

  async Get(key: string): Promise<string | null> {
    return await this.#connection.send(["GET", this.#key(key)]) as string | null;
  }

  async Set(key: string, text: string, lifetime: number): Promise<void> {
    await this.#connection.send(["SET", this.#key(key), text, "PX", millis(lifetime)]);
  }

  async Create(key: string, text: string, lifetime: number): Promise<boolean> {
    return await this.#connection.send(["SET", this.#key(key), text, "NX", "PX", millis(lifetime)]) === "OK";
  }

  async Delete(key: string): Promise<boolean> {
    return await this.#connection.send(["DEL", this.#key(key)]) === 1;
  }

  /** Checks whether the server evicts keys if its memory is full. */
  async Evicts(): Promise<boolean> {
    let text: string;
    try {
      text = String(await this.#connection.send(["INFO", "memory"]));
    } catch (error) {
      // The Redis user may not be allowed to run the command. All other errors are outages.
      if (error instanceof Error && /^NOPERM|unknown command/i.test(error.message)) return false;
      throw error;
    }
    return /^maxmemory:[1-9]/m.test(text) && !/^maxmemory_policy:noeviction\s*$/m.test(text);
  }

  Close(): void {
    this.#connection.close();
  }

  #key(key: string): string {
    return this.#prefix + boundedKey(key);
  }
}

/** Formats a lifetime. Redis accepts neither fractions nor zero. */
function millis(lifetime: number): string {
  return String(Math.max(1, Math.ceil(lifetime)));
}
