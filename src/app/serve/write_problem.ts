/**
 * The error handler of a party whose clients are programs.
 *
 * @module
 */

import { isDescribing, type ProblemObject } from "../../base/problem.ts";
import { writeProblem } from "../../response/problem_body.ts";
import { type Context, exchangeOf } from "../../context/context.ts";
import type { Exchange } from "../../context/exchange.ts";
import { translateIfKnown } from "../../context/language.ts";
import { ValidationError } from "../../input/validation_error.ts";

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
export function problemOf<C>(exchange: Exchange<C>): ProblemObject {
  const { draft, error, isErrorPublic } = exchange;
  const shown = error instanceof ValidationError ? translated(exchange, error) : error;
  if (isErrorPublic && isDescribing(shown)) return shown.Problem();
  const message = isErrorPublic ? error?.message ?? "" : "";
  return { type: "about:blank", status: draft.status, ...message !== "" && { detail: message } };
}

/** The error with the messages translated that are keys of the translations. */
function translated<C>(exchange: Exchange<C>, error: ValidationError): ValidationError {
  const messages = error.Issues.map(({ Message, Path, Pointer }) =>
    translateIfKnown(exchange, Message, { field: String(Path.at(-1) ?? ""), pointer: Pointer })
  );
  // An error of a class of its own is kept as it is, unless there is something to translate.
  if (error.Issues.every(({ Message }, at) => Message === messages[at])) return error;
  return new ValidationError(error.Issues.map((issue, at) => ({ ...issue, Message: messages[at] ?? issue.Message })));
}
