/**
 * Requests that lead to no route: what the response says instead.
 *
 * @module
 */

import { Context, exchangeOf } from "../../context/context.ts";
import type { Arrival } from "../../context/exchange.ts";
import { lowerASCII, trimFinalSlashes } from "../../http/path.ts";
import type { PathPlace } from "../../http/request_url.ts";
import { setHeader } from "../../response/draft.ts";
import { escapeLocation } from "../../response/redirect.ts";
import { type AppRoute, type Domain, spansOf } from "../domain.ts";

/** What a request without a route gets. */
interface Outcome {
  readonly status: number;
  readonly header?: readonly [string, string];
}

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
  return drafted(domain, arrival, judge(domain, arrival, trimmed));
}

function drafted(domain: Domain, arrival: Arrival, outcome: Outcome): Context {
  const ctx = new Context(arrival, nearest(domain, arrival));
  const { draft } = exchangeOf(ctx);
  draft.status = outcome.status;
  if (outcome.header !== undefined) setHeader(draft, ...outcome.header);
  return ctx;
}

function judge(domain: Domain, arrival: Arrival, path: string): Outcome {
  if (path === "") return { status: 400 };
  const { router } = domain;
  const { runtime: { config }, method } = arrival;
  // HEAD is refused as GET is.
  const asked = method === "HEAD" && !config.DisableAutoHead ? [method, "GET"] : [method];
  const elseCode = asked.map((each) => router.elseCode(each, path, 0, path.length)).find((code) => code !== 404);
  if (elseCode !== undefined) return { status: elseCode };
  // "OPTIONS *" asks about the server as a whole.
  const found = method === "OPTIONS" && path === "/*" ? router.methods() : router.methodsAt(path, 0, path.length);
  if (found.length === 0) return { status: 404 };
  const methods = new Set(found);
  if (methods.has("GET") && !config.DisableAutoHead) methods.add("HEAD");
  if (!config.DisableAutoOptions) methods.add("OPTIONS");
  const header = ["allow", [...methods].sort().join(", ")] as const;
  if (method === "OPTIONS" && !config.DisableAutoOptions) return { status: 204, header };
  return config.DisableMethodNotAllowed ? { status: 404 } : { status: 405, header };
}

/**
 * Sends the client to the path without its final slashes; the leading ones become one, or `//host/` would lead away.
 */
function redirection(method: string, place: PathPlace): Outcome {
  const path = trimFinalSlashes(place.url.slice(place.start, place.end).replace(/^\/+/, "/"));
  const rest = place.url.slice(place.end).replace(/#.*$/s, "");
  const isSafe = method === "GET" || method === "HEAD";
  return { status: isSafe ? 301 : 307, header: ["location", escapeLocation(`${path || "/"}${rest}`)] };
}

/** The index after a path without its final slashes. */
function trimmedEnd(path: string): number {
  let end = path.length;
  while (end > 1 && path.endsWith("/", end)) end--;
  return end;
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
