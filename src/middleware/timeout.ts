/**
 * Middleware that responds 503 when the handlers behind it take too long.
 *
 * @example A handler that waits for what never comes
 * ```ts
 * import * as fw from "@fw/web";
 * import * as timeout from "@fw/web/middleware/timeout";
 *
 * const app = fw.New();
 * app.Get("/slow", timeout.New({ After: 10 }), async (ctx) => {
 *   const { promise, resolve } = Promise.withResolvers<void>();
 *   ctx.Signal().addEventListener("abort", () => resolve()); // give up as well
 *   await promise;
 * });
 *
 * const response = await app.fetch(new Request("http://localhost/slow"));
 * [response.status, await response.text()]; // → [503, "Service Unavailable"]
 * ```
 *
 * JavaScript cannot stop a function: a handler whose time is up goes on, unseen, unless it heeds `ctx.Signal()`, and
 * what it throws then is logged. One that never lets go of the processor is not interrupted, nor is a stream that has
 * begun. `fw.WithHandlerTimeout` is the same for all routes of an application.
 *
 * @module
 */

import { FrameworkError, HTTPError } from "../base/errors.ts";
import { abandon, next } from "../context/chain/chain.ts";
import { type Context, exchangeOf } from "../context/context.ts";
import type { Handler } from "../context/handler.ts";
import { reportFailure } from "../context/report_failure.ts";
import { currentScope, WriteScope } from "../context/ending/write_scope.ts";
import { closeTo, scopeRoom } from "../context/ending/writers.ts";

/** How long handlers may take. */
export interface Options {
  /** The time in milliseconds after which the response is sent without them. */
  After: number;
  /** The status of that response, from 400 up; 503 when left out. */
  Status?: number;
}

/**
 * Creates the middleware.
 *
 * @param options How long handlers may take.
 * @returns The middleware.
 */
export function New(options: Options): Handler {
  const { After, Status = 503 } = options;
  // The platform takes longer times for none at all.
  if (!(After > 0 && After < 2 ** 31)) {
    throw new FrameworkError(
      "FW_CONFIG",
      `Cannot end requests after "${After}" ms: it is not between 0 and 2147483647`,
    );
  }
  // Throws at once for a status that is none of an error.
  void new HTTPError(Status);

  return function timeout(ctx) {
    const room = scopeRoom.get();
    return room instanceof Promise ? room.then((scopes) => guard(ctx, scopes)) : guard(ctx, room);
  };

  function guard(ctx: Context, { runInScope }: Scopes): Promise<void> | undefined {
    const at = exchangeOf(ctx).chain.index;
    const scope = new WriteScope(currentScope());
    const rest = runInScope(scope, next, exchangeOf(ctx));
    return rest === undefined ? undefined : within(ctx, { rest, scope, at });
  }

  async function within(ctx: Context, { rest, scope, at }: Guarded): Promise<void> {
    const late = Promise.withResolvers<"late">();
    const timer = setTimeout(() => late.resolve("late"), After);
    try {
      if (await Promise.race([rest, late.promise]) !== "late") return;
    } finally {
      clearTimeout(timer);
    }
    const exchange = exchangeOf(ctx);
    abandon(exchange.chain, at);
    closeTo(exchange, scope);
    exchange.watch?.expire();
    rest.catch((error) => reportLate(ctx, error));
    throw new HTTPError(Status, "", { Code: "FW_TIMEOUT" });
  }
}

/** What runs handlers as a branch of their own, by which their late writes are told from those of others. */
type Scopes = Awaited<ReturnType<typeof scopeRoom.get>>;

/** The handlers behind a time limit. */
interface Guarded {
  readonly rest: Promise<void>;
  readonly scope: WriteScope;
  /** The position of the middleware. */
  readonly at: number;
}

/** What a handler throws because its signal was aborted is not news. */
function reportLate(ctx: Context, error: unknown): void {
  if (error === exchangeOf(ctx).watch?.signal.reason) return;
  const act = `Cannot finish ${ctx.Method()} ${ctx.Path()} after its time was up`;
  reportFailure(exchangeOf(ctx), error, act);
}
