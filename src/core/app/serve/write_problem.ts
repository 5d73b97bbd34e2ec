/**
 * The problem details error handler, for APIs.
 *
 * @module
 */

import { writeProblem } from "../../../http/response/problem_body.ts";
import { type Context, exchangeOf } from "../../context/context.ts";
import { problemOf } from "../../exchange/ending/error_page.ts";

/**
 * Responds to an error with problem details (RFC 9457), regardless of the `Accept` header. The format is JSON, or XML
 * if the client prefers it. Register this error handler with `OnAnyErrorCode` or `OnErrorCode`.
 *
 * @param ctx The request context.
 *
 * @example Use problem details under `/api` and pages elsewhere
 * ```ts
 * import * as fw from "@fw/web";
 *
 * const app = fw.New();
 * app.OnAnyErrorCode((ctx) => ctx.HTML(`<h1>Error ${ctx.GetStatusCode()}</h1>`));
 * const api = app.Party("/api");
 * api.OnAnyErrorCode(fw.WriteProblem);
 *
 * const page = await app.fetch(new Request("http://localhost/tea"));
 * await page.text(); // → "<h1>Error 404</h1>"
 * const problem = await app.fetch(new Request("http://localhost/api/tea", { headers: { accept: "text/html" } }));
 * await problem.json(); // → { type: "about:blank", title: "Not Found", status: 404 }
 * ```
 */
export function WriteProblem(ctx: Context): void {
  const exchange = exchangeOf(ctx);
  writeProblem(exchange.draft, problemOf(exchange), exchange.request.headers.get("accept") ?? "");
}
