/**
 * Shared state for guards, such as rate limits, counters and short strings. The state is stored in memory or in another
 * store.
 *
 * All stores implement the {@linkcode Store} interface. Use {@linkcode NewMemory} for a single thread,
 * `@fw/web/store/sqlite` for all threads and processes on a machine, and `@fw/web/store/redis` for several machines.
 *
 * @example Limit the rate of all requests
 * ```ts
 * import * as store from "@fw/web/store";
 *
 * const shared = store.NewMemory();
 * const first = await shared.Take("mails", { Limit: 1, Period: 1000 });
 * const second = await shared.Take("mails", { Limit: 1, Period: 1000 });
 * [first.Allowed, second.Allowed]; // → [true, false]
 * ```
 *
 * @module
 */

export type { Awaitable } from "./store.ts";
export { type MemoryOptions, NewMemory } from "./memory.ts";
export type { Rate, Taken } from "./rate.ts";
export type { Store } from "./store.ts";
