/**
 * The error handler of a party whose clients are programs.
 *
 * @module
 */

import { isDescribing, type ProblemObject } from "../../base/problem.ts";
import { writeProblem } from "../../response/problem_body.ts";
import { type Context, exchangeOf } from "../../context/context.ts";
import type { Exchange } from "../../context/exchange.ts";

/**
 * Responds to an error with problem details (RFC 9457), whatever the client accepts: as JSON, or as XML if the client
 * prefers it. An error handler for `OnAnyErrorCode` and `OnErrorCode`.
 *
 * @param ctx The request context.
 *
 * @example A site with an API: pages for the site, problem details for everything below `/api`
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

/** The problem of a failed request: that of its error, or one with the message that the client may see. */
export function problemOf<C>({ draft, error, isErrorPublic }: Exchange<C>): ProblemObject {
  if (isErrorPublic && isDescribing(error)) return error.Problem();
  const message = isErrorPublic ? error?.message ?? "" : "";
  return { type: "about:blank", status: draft.status, ...message !== "" && { detail: message } };
}
