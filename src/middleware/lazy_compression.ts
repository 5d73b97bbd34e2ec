/**
 * Middleware that compresses both ways, by what is loaded with the first request: `compress/` has the options.
 *
 * @module
 */

import type { Context } from "../context/context.ts";
import type { Handler } from "../context/handler.ts";

let compress: Handler | undefined = undefined;

/**
 * Middleware that compresses responses as `@fw/web/middleware/compress` does by default, and unpacks the bodies of
 * requests that are compressed, as `ctx.CompressReader()` does. What it needs is loaded with the first request.
 *
 * @example Compressing both ways
 * ```ts
 * import * as fw from "@fw/web";
 *
 * const app = fw.New();
 * app.Use(fw.Compression);
 * app.Get("/", (ctx) => ctx.WriteString("tea ".repeat(1000)));
 *
 * const headers = { "accept-encoding": "gzip" };
 * const response = await app.fetch(new Request("http://localhost/", { headers }));
 * response.headers.get("content-encoding"); // → "gzip"
 * await response.body?.cancel();
 * ```
 *
 * @param ctx The context of the request.
 * @returns What the next handlers return.
 */
export function Compression(ctx: Context): ReturnType<Handler> {
  if (ctx.GetHeader("content-encoding") !== "") ctx.CompressReader();
  return compress === undefined ? loadAndCompress(ctx) : compress(ctx);
}

async function loadAndCompress(ctx: Context): Promise<void | Response> {
  // Not one of the rooms that are loaded in idle time: it brings a part of Node.js along, which most programs do not
  // need.
  compress ??= (await import("./compress/mod.ts")).New();
  return await compress(ctx);
}
