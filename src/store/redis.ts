/**
 * A shared store in Redis or Valkey for all machines of an application.
 *
 * @example Share limits between servers
 * ```ts ignore
 * import * as redis from "@fw/web/store/redis";
 *
 * const store = redis.New({ URL: "redis://10.0.0.5:6379" });
 * ```
 *
 * @module
 */
import { checkOptions, type OptionRules } from "../config/check_options.ts";
import { boundedKey } from "./key.ts";
import { paceOf, type Rate, type Taken, takenOf } from "./rate.ts";
import { type Connection, openConnection } from "./redis_connection.ts";
import { type Script, script } from "./redis_script.ts";
import type { Store } from "./store.ts";

/** Options for {@linkcode New}. */
export interface Config {
  /**
   * The server URL: `redis://[user:password@]host[:port][/database]`, or `rediss://` for TLS. Every call uses a single
   * key, so a cluster behind a proxy also works.
   */
  URL: string;
  /**
   * The prefix of every key.
   *
   * @default {"fw:shared:"}
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
 * Creates a shared store in Redis. It connects on first use and reconnects if the connection is lost. While Redis is
 * unavailable, every call fails quickly.
 *
 * @param config The options.
 * @returns The store. Close it when the application ends.
 * @throws {FrameworkError} If the URL or the time limit is invalid.
 */
export function New(config: Config): Store {
  checkOptions("the Redis store", config, optionRules);
  return new RedisStore(openConnection(config.URL, config.Timeout), config.Prefix ?? "fw:shared:");
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
