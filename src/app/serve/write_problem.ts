/**
 * The problem details error handler, for APIs.
 *
 * @module
 */

import { ValidationError } from "../../accessors/validation_error.ts";
import { type Context, exchangeOf } from "../../context/context.ts";
import { withTranslations } from "../../context/format/issue_messages.ts";
import { isDescribing, type ProblemObject } from "../../errors/problem.ts";
import { ownMessage } from "../../errors/status_text.ts";
import type { Exchange } from "../../exchange/exchange.ts";
import { writeProblem } from "../../response/problem_body.ts";

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

/**
 * Returns the problem details of a failed request. They come from the error itself or contain the public message. With
 * `Development`, those of a server error also contain its message and stack trace.
 */
export function problemOf<C>(exchange: Exchange<C>): ProblemObject {
  const { draft, error, runtime: { development } } = exchange;
  const problem = publicProblem(exchange);
  if (development === undefined || error === undefined || draft.status < 500) return problem;
  const { detail, stack } = development.problemMembers(error);
  return { ...problem, detail: problem["detail"] ?? detail, stack };
}

function publicProblem<C>(exchange: Exchange<C>): ProblemObject {
  const { draft, error, isErrorPublic } = exchange;
  const shown = error instanceof ValidationError ? withTranslations(exchange, error) : error;
  if (isErrorPublic && isDescribing(shown)) return shown.Problem();
  const message = isErrorPublic ? ownMessage(error, draft.status) : "";
  return { type: "about:blank", status: draft.status, ...message !== "" && { detail: message } };
}
