/**
 * What serves a request.
 *
 * @module
 */

import type { Context } from "./context.ts";

/**
 * Responds to a request or passes it on with `ctx.Next()`; a returned `Response` is the response.
 *
 * A handler that does nothing asynchronous should be a plain function: fw then creates no promise for it.
 */
export type Handler = (ctx: Context) => void | Response | Promise<void | Response>;
