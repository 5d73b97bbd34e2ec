/**
 * Writes the body of error responses for which no handler has written one.
 *
 * @module
 */

import { ValidationError } from "../../accessors/validation_error.ts";
import { withTranslations } from "../../context/format/issue_messages.ts";
import { isDescribing, type ProblemObject } from "../../../http/headers/problem.ts";
import { ownMessage, statusText } from "../../../base/errors/errors.ts";
import { chooseType } from "../../../http/headers/accept.ts";
import {
  type Draft,
  isWritten,
  readHeader,
  resetBody,
  setType,
  varyBy,
  writeTyped,
} from "../../../http/response/draft.ts";
import { prefersProblem, prefersProblemTo, writeProblem } from "../../../http/response/problem_body.ts";
import { Chain, runChain } from "../chain/chain.ts";
import type { Exchange } from "../exchange.ts";
import { type Ending, runAsOwner } from "./ending.ts";

/** Reports whether the response is an error without a body. */
function needsPage(draft: Draft): boolean {
  return draft.status >= 400 && !isWritten(draft);
}

/**
 * Runs the error handlers of the nearest party if no handler has written the body of an error.
 *
 * @returns A promise only if an error handler is asynchronous.
 */
export function runErrorHandlers<C>(exchange: Exchange<C>, ending: Ending): void | Promise<void> {
  const { draft, request } = exchange;
  ending.error = undefined;
  if (!needsPage(draft) || (isForDeveloper(exchange) && isMistake(exchange))) return;
  const handlers = exchange.route.party.errorChain(draft.status);
  if (handlers === undefined) return;
  const accept = draft.upgrade === undefined ? request.headers.get("accept") ?? "" : undefined;
  ending.error = { status: draft.status, accept };
  exchange.chain = new Chain(handlers);
  return runAsOwner<void>(exchange, () => runChain(exchange));
}

/** Writes the default body if there is none, or problem details if the client cannot use what error handlers wrote. */
export function checkPage<C>(exchange: Exchange<C>, { error }: Ending): void {
  const { draft } = exchange;
  // A page returned as `new Response(html)` does not set the status, so the error status is kept.
  if (error !== undefined && draft.response !== undefined && draft.status === 200) draft.status = error.status;
  if (needsPage(draft)) return writeDefault(exchange);
  if (draft.status < 400 || error?.accept === undefined) return;
  // The page of a site does not replace the problem details that an API's client expects. An error handler that writes
  // JSON itself has the last word.
  varyBy(draft, "Accept");
  if (!prefersProblemTo(error.accept, readHeader(draft, "content-type"))) return;
  resetBody(draft);
  writeProblem(draft, problemOf(exchange), error.accept);
}

/** Writes the status text, because the body of the error could not be written. */
export function writeStatus<C>({ draft, runtime }: Exchange<C>): void {
  writeTyped(draft, statusText(draft.status), runtime.textType);
}

/**
 * Writes the default body. This is a problem if the error has details or the client requests JSON. Otherwise, it is the
 * error message if the client may see it, or the status text.
 */
function writeDefault<C>(exchange: Exchange<C>): void {
  const { draft, error, request, runtime } = exchange;
  // The content type set by a handler was meant for a body that was never written.
  setType(draft, "");
  varyBy(draft, "Accept");
  const accept = request.headers.get("accept") ?? "";
  const recorder = runtime.development?.recorder;
  if (recorder !== undefined && isForDeveloper(exchange)) {
    return writeTyped(draft, recorder.page(exchange), runtime.htmlType);
  }
  if (prefersProblem(accept) || (exchange.isErrorPublic && isDescribing(error))) {
    return writeProblem(draft, problemOf(exchange), accept);
  }
  const message = exchange.isErrorPublic ? error?.message ?? "" : "";
  writeTyped(draft, message !== "" ? message : statusText(draft.status), runtime.textType);
}

/** Reports whether a developer is viewing the response in a browser. */
function isForDeveloper<C>({ runtime, request }: Exchange<C>): boolean {
  if (runtime.development?.recorder === undefined) return false;
  return chooseType(request.headers.get("accept") ?? "", ["text/plain", "text/html"]) === "text/html";
}

/** Reports whether an error is probably a mistake in the program or in the URL rather than an intended response. */
function isMistake<C>({ draft: { status }, route }: Exchange<C>): boolean {
  return status >= 500 || (route.info === undefined && (status === 404 || status === 405));
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
