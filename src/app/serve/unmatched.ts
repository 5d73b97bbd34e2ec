/**
 * Requests that lead to no route: what the response says instead.
 *
 * @module
 */

import { Context, exchangeOf } from "../../context/context.ts";
import type { Arrival } from "../../context/exchange.ts";
import { lowerASCII } from "../../http/path.ts";
import { setHeader } from "../../response/draft.ts";
import { type AppRoute, type Domain, spansOf } from "../domain.ts";
import { judgeUnmatched, redirection, trimmedEnd, type UnmatchedOutcome } from "../unmatched_outcome.ts";

/**
 * Creates the context of a request whose path leads to no route, with the response drafted: the middleware of
 * `UseRouter` still runs and may change it.
 *
 * @param domain The routes of the request's host.
 * @param arrival The request; the text of its place is the decoded path, empty where an escape is malformed.
 * @returns The context.
 */
export function unmatched(domain: Domain, arrival: Arrival): Context {
  const { runtime: { config }, method, place } = arrival;
  const key = config.ForceLowercaseRouting ? lowerASCII(place.text) : place.text;
  const end = trimmedEnd(key);
  if (end < key.length && !config.DisablePathCorrection) {
    const asked = method === "HEAD" && !config.DisableAutoHead ? "GET" : method;
    const route = domain.router.find(method, key, 0, end) ?? domain.router.find(asked, key, 0, end);
    if (route !== undefined && (config.DisablePathCorrectionRedirection || route.servesSlash)) {
      place.spans = spansOf(domain, route);
      return new Context(arrival, route);
    }
    if (route !== undefined) return drafted(domain, arrival, redirection(method, place));
  }
  const trimmed = config.DisablePathCorrection ? key : key.slice(0, end);
  return drafted(domain, arrival, judgeUnmatched(domain, { config, method }, trimmed));
}

function drafted(domain: Domain, arrival: Arrival, outcome: UnmatchedOutcome): Context {
  const ctx = new Context(arrival, nearest(domain, arrival));
  const { draft } = exchangeOf(ctx);
  draft.status = outcome.status;
  if (outcome.header !== undefined) setHeader(draft, ...outcome.header);
  return ctx;
}

/**
 * The nearest party of a path, whose error handlers count. A path with a malformed escape is looked up as it stands.
 */
function nearest(domain: Domain, arrival: Arrival): AppRoute {
  if (domain.parties === undefined) return domain.fallback;
  const { runtime, place } = arrival;
  const path = place.text === "" ? place.url.slice(place.start, place.end) : place.text;
  const key = runtime.config.ForceLowercaseRouting ? lowerASCII(path) : path;
  return domain.parties.find("GET", key, 0, trimmedEnd(key)) ?? domain.fallback;
}
