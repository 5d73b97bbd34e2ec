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
