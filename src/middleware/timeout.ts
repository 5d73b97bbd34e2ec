/**
 * Middleware that responds with 503 if the handlers after it take too long.
 *
 * JavaScript cannot stop a running function. After the timeout, the handler keeps running in the background unless it
 * observes `ctx.Signal()`, and errors that it throws are logged. Synchronous code that blocks the event loop is not
 * interrupted, and neither is a stream that has already started. The time in which a Socket.IO client polls, or a tool
 * waits for the reply of its caller, does not count. To limit all routes of an application, use
 * `fw.WithHandlerTimeout`.
 *
 * @example Limit the time of a slow handler
 * ```ts
 * import * as fw from "@fw/web";
 * import * as timeout from "@fw/web/middleware/timeout";
 *
 * const app = fw.New();
 * app.Get("/slow", timeout.New({ After: 10 }), async (ctx) => {
 *   const { promise, resolve } = Promise.withResolvers<void>();
 *   ctx.Signal().addEventListener("abort", () => resolve()); // cancel the work
 *   await promise;
 * });
 *
 * const response = await app.fetch(new Request("http://localhost/slow"));
 * [response.status, await response.text()]; // → [503, "Service Unavailable"]
 * ```
 *
 * @module
 */

import { count, required, timeLimit } from "../base/config/option_kinds.ts";
import { optionTable, readOptions } from "../base/config/option_table.ts";
import { HTTPError } from "../base/errors/errors.ts";
import { type Context, exchangeOf } from "../core/context/context.ts";
import type { Handler } from "../core/context/handler.ts";
import { abandon, next } from "../core/exchange/chain/chain.ts";
import { asyncScopes, type Branch } from "../core/exchange/ending/async_scope.ts";
import { Deadline } from "../core/exchange/ending/deadline.ts";
import { holdValues } from "../core/exchange/ending/end_tasks.ts";
import { closeTo, currentBranch } from "../core/exchange/ending/ending.ts";
import { expireCall } from "../core/exchange/exchange.ts";
import { reportFailure } from "../core/exchange/report_failure.ts";

/** Options for {@linkcode New}. */
export interface Options {
  /** The time limit, in milliseconds. */
  After: number;
  /**
   * The status code of the response, 400 or higher.
   *
   * @default {503}
   */
  Status?: number;
}

const table = optionTable<Options>("middleware/timeout.Options", "timeout")({
  After: required(timeLimit()),
  Status: count(503, { from: 400, to: 599 }),
});

/**
 * Creates middleware that responds with an error if the handlers after it exceed the time limit.
 *
 * @param options The options.
 * @returns The middleware.
 * @throws {FrameworkError} If the time limit is invalid.
 */
export function New(options: Options): Handler {
  const { After, Status } = readOptions(table, options);

  return async function timeout(ctx) {
    const { branches } = await asyncScopes();
    const at = exchangeOf(ctx).chain.index;
    const branch = { parent: currentBranch() };
    const rest = branches.run(branch, next, exchangeOf(ctx));
    if (rest !== undefined) await within(ctx, { rest, branch, at });
  };

  async function within(ctx: Context, { rest, branch, at }: Guarded): Promise<void> {
    const late = Promise.withResolvers<"late">();
    const exchange = exchangeOf(ctx);
    const deadline = new Deadline(exchange, After, () => late.resolve("late"));
    try {
      if (await Promise.race([rest, late.promise]) !== "late") return;
    } finally {
      deadline.clear();
    }
    abandon(exchange.chain, at);
    holdValues(exchange, rest);
    closeTo(exchange, branch);
    expireCall(exchange);
    rest.catch((error) => reportLate(ctx, error));
    throw new HTTPError(Status, "", { Code: "FW_TIMEOUT" });
  }
}

/** The handlers behind a time limit. */
interface Guarded {
  readonly rest: Promise<void>;
  readonly branch: Branch;
  /** The position of the middleware. */
  readonly at: number;
}

/** Reports an error thrown after the timeout, unless the aborted signal caused it. */
function reportLate(ctx: Context, error: unknown): void {
  if (error === exchangeOf(ctx).watch?.signal.reason) return;
  const act = `Cannot finish ${ctx.Method()} ${ctx.Path()} within its time limit`;
  reportFailure(exchangeOf(ctx), error, act);
}
