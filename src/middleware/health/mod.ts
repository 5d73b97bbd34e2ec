/**
 * Health endpoints for orchestrators and load balancers. `/livez` reports whether the process is alive, and `/readyz`
 * reports whether it can serve requests. Readiness is determined by checks with a time limit. The process is not ready
 * during a shutdown.
 *
 * A check is a function or an object with a `Check` method, such as the manager of `@fw/web/sessions`, `Check(queue)`
 * of `@fw/web/jobs` or the result of {@linkcode Redis}. The reason for a failure is logged once, and clients only see
 * that the check failed. Results are cached for a second, so the paths can be public.
 *
 * {@linkcode New} returns an object instead of a handler, because it adds routes and no middleware. Its `Register()`
 * adds them to an application.
 *
 * @example Register a health check
 * ```ts
 * import * as fw from "@fw/web";
 * import * as health from "@fw/web/middleware/health";
 * import * as sessions from "@fw/web/sessions";
 *
 * const manager = sessions.New();
 * const app = fw.New();
 * health.New({ Checks: { sessions: manager } }).Register(app);
 *
 * const alive = await app.fetch(new Request("http://localhost/livez"));
 * await alive.json(); // → { status: "alive" }
 * const ready = await app.fetch(new Request("http://localhost/readyz"));
 * [ready.status, (await ready.json()).status]; // → [200, "ready"]
 * ```
 *
 * @module
 */

import { type Client, driverOf } from "../../state/redis/client.ts";
import { Connection } from "../../state/redis/connection.ts";
import type { Checkable } from "./check.ts";
import { Health, type Options } from "./health.ts";

export type { Checkable, CheckFunc } from "./check.ts";
export { Health, type Options, type Registrable } from "./health.ts";

/**
 * Creates the health endpoints of a process.
 *
 * @param options The options.
 * @returns The health endpoints. Call `Register` to add them to an application.
 * @throws {FrameworkError} If the time limit is not positive, or if a check cannot be run.
 */
export function New(options: Options = {}): Health {
  return new Health(options);
}

/**
 * Creates a health check for Redis: `Checks: { redis: health.Redis(client) }`.
 *
 * @param client A client of `npm:@redis/client` or `npm:ioredis`, such as the one that the stores use.
 * @returns The check. It never closes the client.
 * @throws {FrameworkError} If the client lacks a method.
 */
export function Redis(client: Client): Checkable {
  const driver = driverOf("the health check for Redis", client, {});
  let connection: Connection | undefined;
  return {
    async Check(_signal, timeout = 1_000) {
      connection ??= new Connection(driver, client, timeout);
      await connection.send(["PING"]);
    },
  };
}
