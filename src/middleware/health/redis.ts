/**
 * The health check for Redis.
 *
 * @module
 */

import { loadModule } from "../../async/lazy_module.ts";
import type { Connection } from "../../store/redis_connection.ts";
import type { Checkable } from "./check.ts";

/** Checks whether a Redis server responds. */
export class RedisCheck implements Checkable {
  readonly #url: string;
  #connection: Connection | undefined = undefined;

  constructor(url: string) {
    this.#url = url;
  }

  async Check(_signal?: AbortSignal, timeout?: number): Promise<void> {
    const [{ openConnection }, { script }] = await Promise.all([
      loadModule(() => import("../../store/redis_connection.ts")),
      loadModule(() => import("../../store/redis_script.ts")),
    ]);
    this.#connection ??= openConnection(this.#url, timeout);
    await this.#connection.run(script("return redis.call('PING')"), [], []);
  }

  CloseCheck(): void {
    this.#connection?.close();
    this.#connection = undefined;
  }
}
