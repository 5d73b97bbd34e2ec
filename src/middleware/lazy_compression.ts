/**
 * Compression middleware that loads its implementation on the first request. See `compress/` for the options.
 *
 * @module
 */

import { loadModule } from "../base/async/lazy_module.ts";
import type { Context } from "../core/context/context.ts";
import { Extend } from "../core/context/extend.ts";
import type { Handler } from "../core/context/handler.ts";

let compress: Handler | undefined = undefined;

/**
 * Compresses responses like `@fw/web/middleware/compress` with its default options, and decompresses request bodies
 * like `ctx.CompressReader()`. The implementation is loaded on the first request.
 *
 * @example Compress responses and decompress requests
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
 * @param ctx The request context.
 * @returns The result of the next handler.
 */
export function Compression(ctx: Context): ReturnType<Handler> {
  if (ctx.GetHeader("content-encoding") !== "") ctx.CompressReader();
  return compress === undefined ? loadAndCompress(ctx) : compress(ctx);
}

Extend(Compression, { Name: "compress", Many: true, Install() {} });

async function loadAndCompress(ctx: Context): Promise<void | Response> {
  // The module is not preloaded while the server is idle, because it loads a part of Node.js that most programs do not
  // need.
  compress ??= (await loadModule(() => import("./compress/mod.ts"))).New();
  return await compress(ctx);
}
