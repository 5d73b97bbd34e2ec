/**
 * Writes the body of error responses for which no handler has written one.
 *
 * @module
 */

import { isDescribing } from "../../errors/problem.ts";
import { statusText } from "../../errors/status_text.ts";
import type { ServedFailure } from "../../exchange/app_runtime.ts";
import { runChain } from "../../exchange/chain/chain.ts";
import { runAsOwner, writeAsOwner } from "../../exchange/ending/writers.ts";
import { type Exchange, replaceChain } from "../../exchange/exchange.ts";
import { fail } from "../../exchange/failure.ts";
import { chooseType } from "../../http/accept.ts";
import { rawPath } from "../../http/request_url.ts";
import { type Draft, isWritten, readHeader, resetBody, setType, writeTyped } from "../../response/draft.ts";
import { prefersProblem, prefersProblemTo, writeProblem } from "../../response/problem_body.ts";
import { varyBy } from "../../response/vary.ts";
import { problemOf } from "./write_problem.ts";

/** Reports whether the response is an error without a body. */
function needsPage(draft: Draft): boolean {
  return draft.status >= 400 && !isWritten(draft);
}

/**
 * Generates the body of an error response with the error handlers of the nearest party or the default handler. If an
 * error handler fails, only the status is sent.
 *
 * @returns A promise only if a handler is asynchronous. It does not reject.
 */
export function writePage<C>(exchange: Exchange<C>): Promise<void> | undefined {
  const { draft } = exchange;
  if (!needsPage(draft)) return undefined;
  const handlers = isForDeveloper(exchange) && isMistake(exchange)
    ? undefined
    : exchange.route.party.errorChain(draft.status);
  if (handlers === undefined) return void writeDefault(exchange);
  const given: GivenError = { status: draft.status, accept: acceptOf(exchange) };
  replaceChain(exchange, handlers);
  try {
    const running = runAsOwner(exchange, () => runChain(exchange));
    if (running === undefined) return conclude(exchange, given);
    return running.then(undefined, (error) => writeAsOwner(exchange, () => fail(exchange, error)))
      .then(() => writeAsOwner(exchange, () => conclude(exchange, given)));
  } catch (error) {
    fail(exchange, error);
    return conclude(exchange, given);
  }
}

/** The error before its handlers have run. */
interface GivenError {
  readonly status: number;
  /** The `Accept` header, or `undefined` if the connection has been upgraded, so that no page is sent. */
  readonly accept: string | undefined;
}

function acceptOf<C>({ draft, request }: Exchange<C>): string | undefined {
  return draft.upgrade === undefined ? request.headers.get("accept") ?? "" : undefined;
}

function conclude<C>(exchange: Exchange<C>, { status, accept }: GivenError): undefined {
  const { draft } = exchange;
  // A page returned as `new Response(html)` does not set the status, so the error status is kept.
  if (draft.response !== undefined && draft.status === 200) draft.status = status;
  if (needsPage(draft)) return void writeDefault(exchange);
  if (draft.status < 400 || accept === undefined) return;
  // The page of a site does not replace the problem details that an API's client expects. An error handler that writes
  // JSON itself has the last word.
  varyBy(draft, "Accept");
  if (!prefersProblemTo(accept, readHeader(draft, "content-type"))) return;
  resetBody(draft);
  writeProblem(draft, problemOf(exchange), accept);
}

/**
 * Writes the default body. This is a problem if the error has details or the client requests JSON. Otherwise, it is the
 * error message if the client may see it, or the status text.
 */
export function writeDefault<C>(exchange: Exchange<C>): void {
  const { draft, error, request, runtime } = exchange;
  // The content type set by a handler was meant for a body that was never written.
  setType(draft, "");
  varyBy(draft, "Accept");
  const accept = request.headers.get("accept") ?? "";
  if (runtime.development !== undefined && isForDeveloper(exchange)) {
    return writeTyped(draft, runtime.development.page(failureOf(exchange)), runtime.htmlType);
  }
  if (prefersProblem(accept) || (exchange.isErrorPublic && isDescribing(error))) {
    return writeProblem(draft, problemOf(exchange), accept);
  }
  const message = exchange.isErrorPublic ? error?.message ?? "" : "";
  writeTyped(draft, message !== "" ? message : statusText(draft.status), runtime.textType);
}

/** Reports whether a developer is viewing the response in a browser. */
function isForDeveloper<C>({ runtime, request }: Exchange<C>): boolean {
  if (runtime.development === undefined) return false;
  return chooseType(request.headers.get("accept") ?? "", ["text/plain", "text/html"]) === "text/html";
}

/** Reports whether an error is probably a mistake in the program or in the URL rather than an intended response. */
function isMistake<C>({ draft: { status }, route }: Exchange<C>): boolean {
  return status >= 500 || (route.info === undefined && (status === 404 || status === 405));
}

function failureOf<C>({ draft, error, request, place, route }: Exchange<C>): ServedFailure {
  return {
    status: draft.status,
    title: statusText(draft.status),
    error,
    request,
    path: rawPath(place),
    route: route.info,
    chain: route.chain,
  };
}
