/**
 * Middleware that limits the request body size.
 *
 * @module
 */

import { checkArgument } from "../base/config/option_table.ts";
import { bytes } from "../base/config/option_kinds.ts";
import { exchangeOf } from "../core/context/context.ts";
import type { Handler } from "../core/context/handler.ts";
import { bodyOf } from "../core/exchange/exchange.ts";

/**
 * Creates middleware that limits the request body size. Register it before the handler that reads the body.
 *
 * If the `Content-Length` header exceeds the limit, responds with 413 immediately. If a body without a declared length
 * exceeds the limit, reading it fails with status 413. A body of exactly `maxBytes` bytes is accepted.
 *
 * @example Limit uploads to 5 MiB
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
 * @param maxBytes The maximum body size, in bytes.
 * @returns The middleware.
 */
export function LimitRequestBodySize(maxBytes: number): Handler {
  checkArgument(maxBytes, bytes(), "maxBytes", "LimitRequestBodySize");
  return function limitRequestBodySize(ctx) {
    ctx.SetMaxRequestBodySize(maxBytes);
    bodyOf(exchangeOf(ctx)).assertDeclared();
    return ctx.Next();
  };
}

/**
 * Creates middleware that sets the maximum size of a body that is parsed as a whole, such as JSON or XML, for the
 * handlers after it, overriding `fw.WithMaxDocument`.
 *
 * @example Limit JSON bodies to 4 MiB
 * ```ts
 * import * as fw from "@fw/web";
 *
 * const app = fw.New();
 * app.Post("/import", fw.LimitDocument(4 << 20), async (ctx) => {
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
 * @returns The middleware.
 */
export function LimitDocument(maxBytes: number): Handler {
  checkArgument(maxBytes, bytes(), "maxBytes", "LimitDocument");
  return function limitJSONSize(ctx) {
    ctx.SetMaxDocument(maxBytes);
    return ctx.Next();
  };
}
