/**
 * Middleware that limits how often a client may ask.
 *
 * @example Two requests per minute and address
 * ```ts
 * import * as fw from "@fw/web";
 * import * as ratelimit from "@fw/web/middleware/ratelimit";
 *
 * const app = fw.New();
 * app.UseRouter(ratelimit.New({ Limit: 2, Period: 60_000 }));
 * app.Get("/", (ctx) => ctx.WriteString("here you are"));
 *
 * const ask = () => app.fetch(new Request("http://localhost/"));
 * (await ask()).headers.get("ratelimit"); // → '"default";r=1;t=30'
 * (await ask()).status; // → 200
 * const refused = await ask();
 * [refused.status, refused.headers.get("retry-after")]; // → [429, "30"]
 * ```
 *
 * Requests are spread by the generic cell rate algorithm: after a pause a whole burst may come at once, then one per
 * `Period / Limit`. No window begins anew at full minutes, so no client can ask twice as often round its border.
 *
 * The state is kept in memory, for one process. With a store of `@fw/web/store/sqlite` the limit holds for all
 * processes of a machine, with one of `@fw/web/store/redis` for all machines.
 *
 * @module
 */

import { clientNetwork } from "../base/addresses.ts";
import { FrameworkError } from "../base/errors.ts";
import { isThenable } from "../base/thenable.ts";
import { declareClientHeader } from "../context/client_bound.ts";
import { type Context, exchangeOf } from "../context/context.ts";
import type { Handler } from "../context/handler.ts";
import { addHeader } from "../response/draft.ts";
import { NewMemory } from "../store/memory.ts";
import { checkRate, type Rate, type Taken } from "../store/rate.ts";
import type { Store } from "../store/store.ts";
import { StoreGuard } from "../store/store_guard.ts";

export type { Awaitable } from "../store/awaitable.ts";
export type { Rate, Taken } from "../store/rate.ts";
export type { Store } from "../store/store.ts";

/** What is limited, and to how many requests. */
export interface Options extends Rate {
  /**
   * Names what is limited, the address of the client when left out. Requests with the same key share a limit;
   * `undefined` lets a request pass uncounted.
   */
  Key?: (ctx: Context) => string | undefined;
  /**
   * The name of the limit, which keeps its keys apart from those of others in the same store; `"default"` when left
   * out.
   */
  Name?: string;
  /** Where the state is kept; in memory, for 100,000 keys, when left out. */
  Store?: Store;
  /** True to let requests pass while the store fails; they get 503 when left out. */
  AllowWithoutStore?: boolean;
  /** Responds to a request that is over the limit, in place of a bare 429. */
  OnLimit?: (ctx: Context, taken: Taken) => void | Response | Promise<void | Response>;
}

/**
 * Creates the middleware. Every response says how many requests are left, by `RateLimit` and `RateLimit-Policy`; one
 * over the limit is 429 with `Retry-After`.
 *
 * @param options What is limited.
 * @returns The middleware.
 */
export function New(options: Options): Handler {
  const rate = checkRate({ Limit: options.Limit, Period: options.Period, Burst: options.Burst ?? options.Limit });
  const { Key = ByAddress, Name = "default", Store = NewMemory(), OnLimit = refuse } = options;
  if (!/^[\w.-]{1,64}$/.test(Name)) {
    throw new FrameworkError("FW_CONFIG", `Cannot name a limit "${Name}": it takes letters, digits, dots and hyphens`);
  }
  for (const name of ["ratelimit", "ratelimit-policy", "retry-after"]) declareClientHeader(name);
  const policy = `"${Name}";q=${rate.Limit}${rate.Period % 1000 === 0 ? `;w=${rate.Period / 1000}` : ""}`;
  const guard = new StoreGuard(
    "rate limit store",
    "FW_STORE",
    options.AllowWithoutStore === true ? "requests pass uncounted" : undefined,
  );

  function proceed(ctx: Context, taken: Taken): void | Response | Promise<void | Response> {
    const { draft } = exchangeOf(ctx);
    addHeader(draft, "ratelimit-policy", policy);
    addHeader(draft, "ratelimit", `"${Name}";r=${taken.Remaining};t=${Math.ceil(taken.Reset / 1000)}`);
    if (taken.Allowed) return ctx.Next();
    addHeader(draft, "retry-after", String(Math.ceil(taken.RetryAfter / 1000)));
    ctx.StopExecution();
    return OnLimit(ctx, taken);
  }

  function onFailure(ctx: Context, error: unknown): Promise<void> | undefined {
    if (options.AllowWithoutStore !== true) throw error;
    return ctx.Next();
  }

  return function ratelimit(ctx) {
    const key = Key(ctx);
    if (key === undefined) return ctx.Next();
    let taken: Taken | Promise<Taken>;
    try {
      taken = guard.write(ctx, () => Store.Take(`${Name}:${key}`, rate));
    } catch (error) {
      return onFailure(ctx, error);
    }
    if (!isThenable(taken)) return proceed(ctx, taken);
    // Two functions: what fails further down the chain is not a failure of the store.
    return taken.then((it) => proceed(ctx, it), (error) => onFailure(ctx, error));
  };
}

/**
 * A key: the address of the client. Of an IPv6 address only the network of 64 bits counts, since every customer of a
 * provider has a whole one to choose addresses from.
 *
 * @param ctx The request.
 * @returns The key.
 */
export function ByAddress(ctx: Context): string {
  return clientNetwork(ctx.RemoteAddr());
}

/**
 * A key: the user that an authentication middleware found, or the address where there is none.
 *
 * @param ctx The request.
 * @returns The key.
 */
export function ByUser(ctx: Context): string {
  const user = ctx.User();
  return user === undefined ? `address:${ByAddress(ctx)}` : `user:${user.ID}`;
}

/**
 * A key: a header such as `Authorization`. Without it, and so that no client escapes by leaving it out, the address. A
 * client that may invent values has a new limit with each: use it behind what checks them.
 *
 * @param name The header.
 * @returns The function, for `Key`.
 */
export function ByHeader(name: string): (ctx: Context) => string {
  return function (ctx) {
    const value = ctx.GetHeader(name);
    return value === "" ? `address:${ByAddress(ctx)}` : `header:${value}`;
  };
}

function refuse(ctx: Context): void {
  ctx.StopWithStatus(429);
}
