/**
 * The handler type.
 *
 * @module
 */

import type { Context } from "./context.ts";

/**
 * A function that responds to a request or passes it on with `ctx.Next()`. If it returns a `Response`, that response is
 * sent.
 *
 * If a handler does nothing asynchronous, make it a plain function, so that fw does not have to create a promise for
 * it.
 */
export type Handler = (ctx: Context) => void | Response | Promise<void | Response>;
