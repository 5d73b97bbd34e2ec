/**
 * Middleware that sets response caching headers for clients and proxies.
 *
 * @module
 */

import { FrameworkError } from "../base/errors/errors.ts";
import { type Context, exchangeOf } from "../core/context/context.ts";
import type { Handler } from "../core/context/handler.ts";
import { restrictLifetime } from "../core/context/personal.ts";
import { beforeSending } from "../core/exchange/ending/end_tasks.ts";
import { parseDate } from "../http/headers/date.ts";
import { varyBy } from "../http/response/draft.ts";

/**
 * Prevents clients and proxies from storing the response. Use it for pages behind a login and for content that must not
 * reappear if the user goes back in the browser.
 *
 * @param ctx The request context.
 * @returns The result of the next handler.
 */
export function NoCache(ctx: Context): Promise<void> | undefined {
  ctx.Header("cache-control", "no-store, no-cache, must-revalidate");
  ctx.Header("expires", "0");
  ctx.Header("pragma", "no-cache");
  return ctx.Next();
}

/**
 * Creates middleware that lets clients and proxies cache responses for a given time without revalidation. Errors and
 * temporary redirects, such as one to a login page, are not cached. Only the client itself may cache a response that
 * sets cookies, or if the client is identified by a user, `Authorization`, or cookies that handlers have read.
 *
 * @param duration The time in milliseconds. If it is less than a second, clients must revalidate on every request.
 * @returns The middleware.
 */
export function StaticCache(duration: number): Handler {
  assertDuration(duration, "cache responses");
  const value = duration < 1000 ? "no-cache" : `public, max-age=${Math.floor(duration / 1000)}`;
  return (ctx) => {
    setUnlessRefused(ctx, "cache-control", value);
    const exchange = exchangeOf(ctx);
    beforeSending(exchange, () => {
      restrictLifetime(exchange);
      if (exchange.readsCookies) varyBy(exchange.draft, "Cookie");
    });
    return ctx.Next();
  };
}

/**
 * Creates middleware that responds with 304 to GET and HEAD requests if the client's copy is recent enough. Otherwise
 * the next handlers run, and the response gets a `Last-Modified` header that the client sends with later requests.
 *
 * @param duration The maximum age of the client's copy, in milliseconds.
 * @returns The middleware.
 */
export function Cache304(duration: number): Handler {
  assertDuration(duration, "send 304");
  return (ctx) => {
    // The header applies only to reads, and entity tags take precedence over it (RFC 9110, 13.1.3).
    const isRead = /^(GET|HEAD)$/.test(ctx.Method()) && ctx.GetHeader("if-none-match") === "";
    const since = parseDate(isRead ? ctx.GetHeader("if-modified-since") : "");
    const now = Date.now();
    // This server has never sent a date in the future.
    if (since !== undefined && since <= now && since > now - duration) return ctx.StopWithStatus(304);
    setUnlessRefused(ctx, "last-modified", new Date(now).toUTCString());
    return ctx.Next();
  };
}

/**
 * Sets a header, and removes it again from errors and temporary redirects. They must not be cached for as long as the
 * page itself, because the client would still be refused after a login.
 */
function setUnlessRefused(ctx: Context, name: string, value: string): void {
  ctx.Header(name, value);
  const exchange = exchangeOf(ctx);
  beforeSending(exchange, () => {
    const { draft } = exchange;
    if (draft.status < 400 && ![302, 303, 307].includes(draft.status)) return;
    // The response may have been made private in the meantime.
    const values = [value, value.replace("public", "private")];
    draft.headers = draft.headers?.filter((pair) => pair[0] !== name || !values.includes(pair[1]));
  });
}

function assertDuration(duration: number, act: string): void {
  if (Number.isFinite(duration) && duration >= 0) return;
  throw new FrameworkError(
    "FW_CONFIG",
    `Cannot ${act} for "${String(duration)}" ms: the duration must be a non-negative number`,
  );
}
