/**
 * Middleware that says how long clients and proxies may keep a response.
 *
 * @module
 */

import { FrameworkError } from "../base/errors.ts";
import { type Context, exchangeOf } from "../context/context.ts";
import { beforeSending } from "../context/ending/end_tasks.ts";
import type { Handler } from "../context/handler.ts";
import { parseDate } from "../http/date.ts";

/**
 * Keeps clients and proxies from storing a response: for pages behind a login, and whatever must not be seen again with
 * the browser's back button.
 *
 * @param ctx The context of the request.
 * @returns What the next handlers return.
 */
export function NoCache(ctx: Context): Promise<void> | undefined {
  ctx.Header("cache-control", "no-store, no-cache, must-revalidate");
  ctx.Header("expires", "0");
  ctx.Header("pragma", "no-cache");
  return ctx.Next();
}

/**
 * Lets clients and proxies keep a response for a while, without asking again. A response with a status of 400 or more
 * is not kept.
 *
 * @param duration How long, in milliseconds; 0 makes them ask every time.
 * @returns The handler.
 */
export function StaticCache(duration: number): Handler {
  assertDuration(duration, "cache responses");
  const value = duration < 1000 ? "no-cache" : `public, max-age=${Math.floor(duration / 1000)}`;
  return (ctx) => {
    ctx.Header("cache-control", value);
    takeBackFromErrors(ctx, "cache-control", value);
    return ctx.Next();
  };
}

/**
 * Sends 304 to a client whose copy is younger than a duration, and a date to ask with later to all others. The handlers
 * behind it run only for those.
 *
 * @param duration How long a copy is good, in milliseconds.
 * @returns The handler.
 */
export function Cache304(duration: number): Handler {
  assertDuration(duration, "send 304");
  return (ctx) => {
    const since = parseDate(ctx.GetHeader("if-modified-since"));
    const now = Date.now();
    // A date from the future is not one that this server sent.
    if (since !== undefined && since <= now && since > now - duration) return ctx.StopWithStatus(304);
    const date = new Date(now).toUTCString();
    ctx.Header("last-modified", date);
    takeBackFromErrors(ctx, "last-modified", date);
    return ctx.Next();
  };
}

/** Takes a header back if the response is an error, which must not be cached for as long as the page. */
function takeBackFromErrors(ctx: Context, name: string, value: string): void {
  const exchange = exchangeOf(ctx);
  beforeSending(exchange, () => {
    const { draft } = exchange;
    if (draft.status < 400) return;
    draft.headers = draft.headers?.filter((pair) => pair[0] !== name || pair[1] !== value);
  });
}

function assertDuration(duration: number, act: string): void {
  if (Number.isFinite(duration) && duration >= 0) return;
  throw new FrameworkError("FW_CONFIG", `Cannot ${act} for "${duration}" milliseconds: it is not a number from 0 up`);
}
