/**
 * Paths by which an orchestrator or a load balancer learns of a process: `/livez`, whether it lives, and `/readyz`,
 * whether it can serve, found out by checks with a time limit. A process that stops is not ready.
 *
 * @example A check, and what is told of it
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
 * A check is a function, or anything with a method `Check`: the manager of `@fw/web/sessions` has one, and
 * {@linkcode Redis} creates one from an address. What is wrong is told in the log, once; clients learn only that a
 * check fails. All that ask within a second get the same findings, so the paths may be public.
 *
 * @module
 */

import type { Checkable } from "./check.ts";
import { Health, type Options } from "./health.ts";
import { RedisCheck } from "./redis.ts";

export type { Checkable, CheckFunc } from "./check.ts";
export { Health, type Options, type Registrable } from "./health.ts";

/**
 * Creates the health of a process.
 *
 * @param options What is checked.
 * @returns The health, to be given an application with `Register`.
 */
export function New(options: Options = {}): Health {
  return new Health(options);
}

/**
 * Creates a check of Redis: `Checks: { redis: health.Redis("redis://10.0.0.5:6379") }`.
 *
 * @param url The server: `redis://[user:password@]host[:port][/database]`, `rediss://` for TLS.
 * @returns The check. Its connection is its own, and is closed at shutdown.
 */
export function Redis(url: string): Checkable {
  return new RedisCheck(url);
}
