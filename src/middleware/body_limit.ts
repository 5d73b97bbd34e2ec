/**
 * Middleware that limits the body of requests.
 *
 * @module
 */

import type { Handler } from "../context/handler.ts";

/**
 * Creates a handler that limits the request body; place it before the handler that reads it.
 *
 * A declared length over the limit is refused with 413 at once. A body that turns out longer is cut off, and what reads
 * it fails with status 413. Exactly `maxBytes` bytes pass.
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
 * Sets the maximum size of JSON bodies for the routes behind it, in place of `fw.WithMaxJSONSize`.
 *
 * @example Four mebibytes at most
 * ```ts
 * import * as fw from "@fw/web";
 *
 * const app = fw.New();
 * app.Post("/import", fw.LimitJSONSize(4 << 20), async (ctx) => {
 *   const [rows, error] = await ctx.ReadJSON<unknown[]>();
 *   if (error !== null) throw error;
 *   ctx.JSON(rows.length);
 * });
 *
 * const headers = { "content-type": "application/json" };
 * const body = JSON.stringify(Array(500_000).fill(0));
 * const response = await app.fetch(new Request("http://localhost/import", { method: "POST", headers, body }));
 * await response.json(); // → 500000
 * ```
 *
 * @param maxBytes The maximum size, in bytes.
 * @returns The handler.
 */
export function LimitJSONSize(maxBytes: number): Handler {
  return function limitJSONSize(ctx) {
    ctx.SetMaxJSONSize(maxBytes);
    return ctx.Next();
  };
}
