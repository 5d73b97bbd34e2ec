/**
 * Requests that lead to no route: what the answer says instead.
 *
 * @module
 */

import { Context, draftOf, type Place } from "../context/context.ts";
import { setHeader } from "../response/draft.ts";
import type { CompiledRoute } from "../context/handler.ts";
import { lowerASCII } from "../http/path.ts";
import type { ConnectionInfo } from "../context/client_address.ts";
import { escapeLocation } from "../context/redirect.ts";
import type { Site } from "../context/app_runtime.ts";
import { type Domain, spansOf } from "./build.ts";

/** What a request without a route gets. */
interface Outcome {
  readonly status: number;
  readonly header?: readonly [string, string];
}

/**
 * Makes the context of a request whose path leads to no route, with the answer drafted: the middleware of `UseRouter`
 * still runs and may change it.
 *
 * @param place Its text is the decoded path; empty where an escape is malformed.
 */
export function missed(
  site: Site,
  domain: Domain,
  request: Request,
  info: ConnectionInfo | undefined,
  place: Place,
): Context {
  const key = site.config.ForceLowercaseRouting ? lowerASCII(place.text) : place.text;
  const end = trimmedEnd(key);
  if (end < key.length && !site.config.DisablePathCorrection) {
    const method = request.method === "HEAD" && !site.config.DisableAutoHead ? "GET" : request.method;
    const route = domain.router.find(request.method, key, 0, end) ?? domain.router.find(method, key, 0, end);
    if (route !== undefined && site.config.DisablePathCorrectionRedirection) {
      return new Context(site, request, info, route, { ...place, spans: spansOf(domain, route) });
    }
    if (route !== undefined) return drafted(site, domain, request, info, place, redirection(request.method, place));
  }
  const trimmed = site.config.DisablePathCorrection ? key : key.slice(0, end);
  return drafted(site, domain, request, info, place, judge(site, domain, request.method, trimmed));
}

function drafted(
  site: Site,
  domain: Domain,
  request: Request,
  info: ConnectionInfo | undefined,
  place: Place,
  outcome: Outcome,
): Context {
  const ctx = new Context(site, request, info, nearest(site, domain, place), place);
  const draft = draftOf(ctx);
  draft.status = outcome.status;
  if (outcome.header !== undefined) setHeader(draft, ...outcome.header);
  return ctx;
}

function judge(site: Site, domain: Domain, method: string, path: string): Outcome {
  if (path === "") return { status: 400 };
  const { router } = domain;
  const { config } = site;
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

/** Sends the client to the path without its final slashes; the leading ones become one, or `//host/` would lead away. */
function redirection(method: string, place: Place): Outcome {
  const path = place.url.slice(place.start, place.end).replace(/^\/+/, "/").replace(/\/+$/, "");
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

/** The nearest party of a path: its error handlers answer. A path with a malformed escape is looked up as it stands. */
function nearest(site: Site, domain: Domain, place: Place): CompiledRoute {
  if (domain.scopes === undefined) return domain.fallback;
  const path = place.text === "" ? place.url.slice(place.start, place.end) : place.text;
  const key = site.config.ForceLowercaseRouting ? lowerASCII(path) : path;
  return domain.scopes.find("GET", key, 0, trimmedEnd(key)) ?? domain.fallback;
}
