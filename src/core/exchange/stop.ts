/**
 * Stops a chain early, with a response.
 *
 * @module
 */

import { checkText } from "../../base/config/option_table.ts";
import { Problem, type ProblemOptions } from "../../http/headers/problem.ts";
import {
  discardWritten,
  type Draft,
  isShut,
  reportReplaced,
  resetBody,
  setStatus,
  writeJSON,
} from "../../http/response/draft.ts";
import { writeProblem } from "../../http/response/problem_body.ts";
import { redirect } from "../../http/response/redirect.ts";
import { type Exchange, setPublicError } from "./exchange.ts";
import { isDeparture, leave } from "./failure.ts";
import { linkTo } from "./public_url.ts";
import { reportFailure } from "./report_failure.ts";
import type { RequestTarget } from "./request_target.ts";

/** The parts of a request that change if its chain is stopped. */
interface Stoppable {
  readonly draft: Draft;
  readonly chain: { stopped: boolean; hasResponse: boolean };
}

/** Stops the chain. */
export function stop(request: Stoppable): void {
  // A handler that continues after its timeout must not stop the error page's chain.
  if (!isShut(request.draft)) request.chain.stopped = true;
}

/** Stops the chain after the response was decided. */
function stopDecided(request: Stoppable): void {
  stop(request);
  if (!isShut(request.draft)) request.chain.hasResponse = true;
}

/**
 * Stops the chain and sets the status code. Discards the body written so far, so that an error message is not
 * appended to a partial response.
 *
 * @returns The draft to write the response to.
 */
export function stopWith(request: Stoppable, status: number): Draft {
  setStatus(request.draft, status);
  discardWritten(request.draft);
  stopDecided(request);
  return request.draft;
}

/**
 * Stops the chain with a status code and an error whose message the client may see. Server errors are also reported.
 */
export function stopWithError<C>(exchange: Exchange<C>, status: number, error: Error): void {
  if (isDeparture(exchange, error) && !isShut(exchange.draft)) return leave(exchange);
  stopWith(exchange, status);
  setPublicError(exchange, error);
  if (status >= 500) reportFailure(exchange, error);
}

/** Stops the chain with a redirect. */
export function stopWithRedirect(
  request: Stoppable & { readonly target: RequestTarget },
  url: string,
  status: number,
): void {
  checkText(url, "url", "Redirect");
  redirect(request.draft, linkTo(request.target, url), status);
  stopDecided(request);
}

/** Stops the chain with JSON. */
export function stopWithJSON(request: Stoppable, status: number, value: unknown): void {
  reportReplaced(request.draft);
  writeJSON(stopWith(request, status), value);
}

/** Responds with a problem in the format that the client prefers. The chain continues. */
export function respondWithProblem<C>(exchange: Exchange<C>, details: Problem | ProblemOptions): void {
  const problem = details instanceof Problem ? details : new Problem(details);
  const { draft } = exchange;
  reportReplaced(draft);
  resetBody(draft);
  setStatus(draft, problem.Status);
  setPublicError(exchange, problem);
  if (problem.Status >= 500) reportFailure(exchange, problem);
  writeProblem(draft, problem.Problem(), exchange.request.headers.get("accept") ?? "");
}

/** Stops the chain with a problem, in the format that the client prefers. */
export function stopWithProblem<C>(exchange: Exchange<C>, problem: Problem | ProblemOptions): void {
  respondWithProblem(exchange, problem);
  stopDecided(exchange);
}

/** Sets the status to 404 and discards the body written so far. The chain continues. */
export function notFound(draft: Draft): void {
  setStatus(draft, 404);
  discardWritten(draft);
}
