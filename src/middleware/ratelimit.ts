/**
 * Middleware that limits the request rate per client.
 *
 * The limiter uses the generic cell rate algorithm. After a pause, a client may send a whole burst of requests, and
 * then one request per `Period / Limit`. There are no fixed windows, so a client cannot double its rate at a window
 * boundary.
 *
 * By default, the state is stored in the memory of one thread. With a store from `@fw/web/store/sqlite`, the limit is
 * shared by all threads and processes on a machine. With a store from `@fw/web/store/redis`, it is shared by all
 * machines.
 *
 * @example Allow two requests per minute and IP address
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
 * @module
 */

import { isTaken } from "../state/store/store_results.ts";
import { returnedString } from "../base/config/returned.ts";
import { isThenable } from "../base/async/thenable.ts";
import { count, filled, flag, formerly, func, milliseconds, required } from "../base/config/option_kinds.ts";
import { checkArgument, optionTable, readOptions } from "../base/config/option_table.ts";
import { declareClientHeader, noteClientBound } from "../core/context/client_bound.ts";
import { type Context, exchangeOf } from "../core/context/context.ts";
import type { Handler } from "../core/context/handler.ts";
import { refuseWith } from "../core/context/refusal.ts";
import { FrameworkError } from "../base/errors/errors.ts";
import { addHeader } from "../http/response/draft.ts";
import { NewMemory } from "../state/store/memory.ts";
import { checkRate, type Rate, type Taken } from "../state/store/rate.ts";
import { type Store, storeOption } from "../state/store/store.ts";
import { StoreGuard } from "../state/store/store_guard.ts";
import { type Exchange, valueOf, valuesOf } from "../core/exchange/exchange.ts";
import { noteFacts } from "../core/exchange/handler_facts.ts";
import { variedLabels } from "../core/exchange/labels.ts";
import { Key as ValueKey } from "../core/exchange/values.ts";
import { clientNetwork } from "../base/text/addresses.ts";

/** Options for {@linkcode New}. */
export interface Options extends Rate {
  /**
   * Returns the key to limit by. Requests with the same key share a limit. If the key is `undefined`, the request is
   * not limited. It may be asynchronous, for example to limit by an account that is named in the request body.
   *
   * @default {ByAddress}
   */
  Key?: (ctx: Context) => string | undefined | Promise<string | undefined>;
  /**
   * The name of the limit. It distinguishes the keys from those for other limits in the same store.
   *
   * @default {"default"}
   */
  Name?: string;
  /** The store for the state. If omitted, the state is stored in memory, for up to 100,000 keys. */
  Store?: Store;
  /**
   * Whether to allow requests while the store is failing. If `false`, responds with 503.
   *
   * @default {false}
   */
  AllowWithoutStore?: boolean;
  /**
   * The handler that writes the response to requests over the limit. The status is 429 unless the handler sets another
   * one. If omitted, the response is a plain 429.
   */
  OnRefuse?: (ctx: Context, taken: Taken) => void | Response | Promise<void | Response>;
}

const table = optionTable<Options>("middleware/ratelimit.Options", "ratelimit")({
  Limit: required(count()),
  Period: required(milliseconds(undefined, { isPositive: true })),
  Burst: count(),
  Key: func(ByAddress),
  Name: filled("default"),
  Store: storeOption,
  AllowWithoutStore: flag(false),
  OnRefuse: formerly("OnLimit", func()),
});

/**
 * Creates the rate limiter (throttling). Every response reports the remaining requests in the `RateLimit` and
 * `RateLimit-Policy` headers. If the limit is exceeded, responds with 429 and a `Retry-After` header.
 *
 * @param options The options.
 * @returns The middleware.
 * @throws {FrameworkError} If the rate or the name is invalid.
 */
export function New(options: Options): Handler {
  const settings = readOptions(table, options);
  const { Limit, Period, Burst = Limit, Key, Name, Store = NewMemory(), AllowWithoutStore, OnRefuse } = settings;
  const rate = checkRate({ Limit, Period, Burst });
  if (!/^[\w.-]{1,64}$/.test(Name)) {
    throw new FrameworkError(
      "FW_CONFIG",
      `Cannot name a limit "${Name}": use 1 to 64 letters, digits, underscores, dots or hyphens`,
    );
  }
  for (const name of ["ratelimit", "ratelimit-policy", "retry-after"]) declareClientHeader(name);
  const policy = `"${Name}";q=${rate.Limit}${rate.Period % 1000 === 0 ? `;w=${rate.Period / 1000}` : ""}`;
  const guard = new StoreGuard(
    "rate limit store",
    "FW_STORE",
    AllowWithoutStore ? "requests are not limited" : undefined,
  );

  const countedKey: ValueKey<string> = ValueKey("rate limit");

  function proceed(ctx: Context, taken: Taken): void | Response | Promise<void | Response> {
    const { draft } = exchangeOf(ctx);
    addHeader(draft, "ratelimit-policy", policy);
    addHeader(draft, "ratelimit", `"${Name}";r=${taken.Remaining};t=${Math.ceil(taken.Reset / 1000)}`);
    if (taken.Allowed) return ctx.Next();
    addHeader(draft, "retry-after", String(Math.ceil(taken.RetryAfter / 1000)));
    // With a status such as 404, a cache around the guard would send the refusal to clients that are not refused.
    noteClientBound(ctx);
    return OnRefuse === undefined ? ctx.StopWithStatus(429) : refuseWith(ctx, 429, () => OnRefuse(ctx, taken));
  }

  function onFailure(ctx: Context, error: unknown): Promise<void> | undefined {
    if (!AllowWithoutStore) throw error;
    return ctx.Next();
  }

  function limit(ctx: Context, given: string | undefined): void | Response | Promise<void | Response> {
    if (given === undefined) return ctx.Next();
    const key = returnedString(given, "Key of ratelimit");
    if (isCounted(exchangeOf(ctx), countedKey, key)) return ctx.Next();
    const labels = variedLabels(exchangeOf(ctx))?.map(([name, value]) => `${name}=${encodeURIComponent(value)}:`) ?? [];
    let taken: Taken | Promise<Taken>;
    try {
      taken = guard.write(ctx, () => Store.Take(`${Name}:${labels.join("")}${key}`, rate), isTaken);
    } catch (error) {
      return onFailure(ctx, error);
    }
    if (!isThenable(taken)) return proceed(ctx, taken);
    // Pass both callbacks to `then`, because an error in a later handler is not a store failure.
    return taken.then((it) => proceed(ctx, it), (error) => onFailure(ctx, error));
  }

  return noteFacts(function ratelimit(ctx: Context) {
    if (exchangeOf(ctx).target.outer?.isRenewal) return ctx.Next();
    const key = Key(ctx);
    return isThenable(key) ? key.then((it) => limit(ctx, it)) : limit(ctx, key);
  }, { isLimit: true });
}

/**
 * Reports whether a request has already been counted, because the middleware is used twice for it, such as in a mounted
 * application and around it. Each call of a tool is counted.
 */
function isCounted(exchange: Exchange<Context>, name: ValueKey<string>, key: string): boolean {
  const isTool = exchange.target.outer?.route !== undefined;
  const counted = isTool ? exchange.values?.Get(name) : valueOf(exchange, name);
  valuesOf(exchange).Set(name, key);
  return counted === key;
}

/**
 * Limits by client IP address. IPv6 addresses are reduced to their /64 network, since providers assign at least a /64
 * to each customer.
 *
 * @param ctx The request context.
 * @returns The key.
 */
export function ByAddress(ctx: Context): string {
  return clientNetwork(ctx.RemoteAddr());
}

/**
 * Limits by authenticated user, or by IP address if there is no user.
 *
 * @param ctx The request context.
 * @returns The key.
 */
export function ByUser(ctx: Context): string {
  const user = ctx.User();
  return user === undefined ? `address:${ByAddress(ctx)}` : `user:${user.ID}`;
}

/**
 * Creates a key function that limits by a request header such as `Authorization`. If the header is missing, requests
 * are limited by IP address, so that clients cannot evade the limit by omitting the header. If clients can invent
 * header values, each value gets a new limit, so register the limiter after middleware that validates the header.
 *
 * @param name The header name.
 * @returns The key function, for `Key`.
 */
export function ByHeader(name: string): (ctx: Context) => string {
  checkArgument(name, filled(), "name", "ratelimit.ByHeader");
  return function (ctx) {
    const value = ctx.GetHeader(name);
    return value === "" ? `address:${ByAddress(ctx)}` : `header:${value}`;
  };
}
