/**
 * Middleware for bodies: a limit on those of requests, and compression both ways.
 *
 * @module
 */

import type { Context } from "../context/context.ts";
import type { Handler } from "../context/handler.ts";

let compress: Handler | undefined = undefined;

/**
 * Makes a handler that limits the request body; place it before the handler that reads it.
 *
 * A declared length over the limit is refused with 413 at once. A body that turns out longer is cut off, and what reads it fails
 * with status 413. Exactly `maxBytes` bytes pass.
 *
 * @example Five mebibytes at most
 * ```ts
 * import * as fw from "@fw/web";
 *
 * const app = fw.New();
 * app.Post("/upload", fw.LimitRequestBodySize(5 << 20), (ctx) => ctx.WriteString("fits"));
 *
 * const small = await app.fetch(new Request("http://localhost/upload", { method: "POST", body: "few" }));
 * await small.text(); // → "fits"
 * ```
 *
 * @param maxBytes How many bytes the body may have.
 * @returns The handler.
 */
export function LimitRequestBodySize(maxBytes: number): Handler {
  return function limitRequestBodySize(ctx) {
    ctx.SetMaxRequestBodySize(maxBytes);
    return ctx.Next();
  };
}

/**
 * Middleware that compresses responses as `@fw/web/middleware/compress` does by default, and unpacks the bodies of requests
 * that are compressed, as `ctx.CompressReader(true)` does. What it needs is loaded with the first request.
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
  if (ctx.GetHeader("content-encoding") !== "") ctx.CompressReader(true);
  return compress === undefined ? loadAndCompress(ctx) : compress(ctx);
}

async function loadAndCompress(ctx: Context): Promise<void | Response> {
  // Not one of the rooms that are loaded in idle time: it brings a part of Node.js along, which most programs do not need.
  compress ??= (await import("./compress/mod.ts")).New();
  return await compress(ctx);
}
