/**
 * Prepares the response to requests that no route matches.
 *
 * @module
 */

import { Params } from "../../accessors/params.ts";
import { Context, exchangeOf } from "../../context/context.ts";
import { FrameworkError } from "../../../base/errors/errors.ts";
import { Chain } from "../../exchange/chain/chain.ts";
import type { Exchange } from "../../exchange/exchange.ts";
import { publicPath } from "../../exchange/public_url.ts";
import type { RequestTarget } from "../../exchange/request_target.ts";
import { lowerASCII } from "../../../http/headers/path.ts";
import { rawPath, searchOf } from "../../../http/headers/request_url.ts";
import { setHeader } from "../../../http/response/draft.ts";
import { keyOf } from "../../../http/parameter_types/template.ts";
import type { RefusedPath } from "../../../http/router/refusals.ts";
import type { AppRoute } from "../build/compile_route.ts";
import type { Domain } from "../build/domain.ts";
import { redirection, trimmedEnd, type UnmatchedOutcome, unmatchedOutcomeOf } from "../build/unmatched_outcome.ts";
import { covered } from "./cover.ts";
import { findRoute, routingKey, take } from "./find_route.ts";

/**
 * Creates the context of an unmatched request and prepares the response. `UseRouter` middleware still runs and may
 * change it.
 *
 * @param domain The routes of the request's host.
 * @param target The request, whose canonical path is known. The path is empty if an escape sequence is malformed.
 * @returns The context.
 */
export function unmatched(domain: Domain, target: RequestTarget): Context {
  const { route, outcome, path } = judge(domain, target);
  if (route !== undefined) return new Context(target, route);
  const ctx = drafted(domain, target, outcome);
  if (outcome.refused !== undefined) tellRefused(exchangeOf(ctx), domain, path, outcome.refused);
  return ctx;
}

/** The route that serves a request, or the response to an unmatched request and its path without trailing slashes. */
export type Judgment =
  | { readonly route: AppRoute; readonly outcome?: undefined; readonly path?: undefined }
  | { readonly route?: undefined; readonly outcome: UnmatchedOutcome; readonly path: string };

/** Determines how a request is served, for explanations. */
export function judgeRequest(domain: Domain, target: RequestTarget): Judgment {
  const route = findRoute(domain, target);
  return route === undefined ? judge(domain, target) : { route };
}

function judge(domain: Domain, target: RequestTarget): Judgment {
  const { runtime: { config }, method } = target;
  const key = routingKey(target);
  const end = trimmedEnd(key);
  const path = config.PathCorrection ? key.slice(0, end) : key;
  if (path.length < key.length) {
    const asked = method === "HEAD" && config.AutoHead ? "GET" : method;
    const route = domain.router.find(method, key, 0, end) ?? domain.router.find(asked, key, 0, end);
    if (route !== undefined && (!config.PathCorrectionRedirection || route.servesSlash)) {
      return { route: take(domain, route, target) };
    }
    if (route !== undefined) return { outcome: redirection(method, publicPath(target), searchOf(target)), path };
  }
  return { outcome: unmatchedOutcomeOf(domain, { config, method }, path), path };
}

/**
 * Creates the context of a request whose route is unknown, because a parameter type of the application has thrown. The
 * request fails as if a handler had thrown the error. Another route must not serve it, because its guards may differ.
 *
 * @param domain The routes of the request's host.
 * @param target The request.
 * @param error The error.
 * @returns The context.
 */
export function unroutable({ fallback }: Domain, target: RequestTarget, error: unknown): Context {
  const ctx = new Context(target, fallback);
  const exchange = exchangeOf(ctx);
  exchange.chain = new Chain([...exchange.chain.handlers, () => {
    throw error;
  }]);
  return ctx;
}

/** Adds the handler of the parameter type that has rejected a path, if there is one, to the end of the chain. */
function tellRefused(
  exchange: Exchange<Context>,
  { errorHandlerOf }: Domain,
  text: string,
  { segment, names, index, spans }: RefusedPath,
): void {
  const { name, type } = segment;
  const handler = errorHandlerOf(type.Name);
  if (handler === undefined) return;
  exchange.params = new Params({ names }, { text, url: "", path: text, start: 0, end: 0, spans });
  const value = exchange.params.Get(name);
  const error = new FrameworkError(
    "FW_PARAM",
    `Cannot read path parameter "${name}": "${value}" is not "${keyOf(segment)}"`,
  );
  exchange.chain = new Chain([...exchange.chain.handlers, (ctx) => handler(ctx, index, error)]);
}

function drafted(domain: Domain, target: RequestTarget, outcome: UnmatchedOutcome): Context {
  const ctx = new Context(target, covered(domain, nearest(domain, target), target));
  const { draft } = exchangeOf(ctx);
  draft.status = outcome.status;
  if (outcome.header !== undefined) setHeader(draft, ...outcome.header);
  return ctx;
}

/**
 * Returns the nearest party for a path. Its error handlers apply. If the path contains a malformed escape sequence, it
 * is looked up as sent.
 */
function nearest(domain: Domain, target: RequestTarget): AppRoute {
  if (domain.parties === undefined) return domain.fallback;
  const { runtime } = target;
  const path = target.path || rawPath(target);
  const key = runtime.config.LowercaseRouting ? lowerASCII(path) : path;
  return domain.parties.find("GET", key, 0, trimmedEnd(key)) ?? domain.fallback;
}
