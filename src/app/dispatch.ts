/**
 * The way of a request: address, route, context, handlers, answer. The only place where errors are caught.
 *
 * Everything stays synchronous as long as the handlers are, and nothing is read of the request but its method and its
 * address: a promise costs 1 µs a request, the headers 2 µs (tests/bench).
 *
 * @module
 */

import { isAddress } from "../base/addresses.ts";
import { start } from "../context/chain.ts";
import { chainOf, Context, draftOf, type Place } from "../context/context.ts";
import { fail } from "../context/failure.ts";
import { decodePath, lowerASCII } from "../http/path.ts";
import { type ConnectionInfo, hostName, requestHost, subdomainOf } from "../context/client_address.ts";
import { answer, answerLater } from "./finish.ts";
import { type Built, type Domain, none, spansOf } from "./build.ts";
import { missed } from "./unmatched.ts";

/** Serves one request. */
export type Fetch = (request: Request, info?: ConnectionInfo) => Response | Promise<Response>;

const question = 63;
const hash = 35;
const percent = 37;

/** Makes the function that serves a built application. */
export function makeFetch(built: Built): Fetch {
  const { site, root } = built;
  const hasSubdomains = built.subdomains.length > 0;
  const isLower = site.config.ForceLowercaseRouting;

  return function fetch(request: Request, info?: ConnectionInfo): Response | Promise<Response> {
    const url = request.url;
    const from = url.indexOf("/", url.indexOf("://") + 3);
    // CONNECT names a host and no path.
    const begin = from < 0 ? url.length : from;
    let end = begin;
    let isPlain = !isLower && from >= 0;
    for (; end < url.length; end++) {
      const code = url.charCodeAt(end);
      if (code === question || code === hash) break;
      if (code === percent) isPlain = false;
    }
    const domain = hasSubdomains ? domainOf(built, request, info) : root;
    const method = request.method;
    if (isPlain) {
      const route = domain.router.find(method, url, begin, end);
      if (route !== undefined) {
        const place = { url, start: begin, end, text: url, spans: spansOf(domain, route) };
        return run(built, new Context(site, request, info, route, place), method);
      }
    }
    return run(
      built,
      lookAgain(built, domain, request, info, { url, start: begin, end, text: url, spans: none }),
      method,
    );
  };
}

/** The way of a path that did not match as it stands: decoded, in small letters, under GET for HEAD, or not at all. */
function lookAgain(
  built: Built,
  domain: Domain,
  request: Request,
  info: ConnectionInfo | undefined,
  place: Place,
): Context {
  const { site } = built;
  const raw = place.start === place.end ? "/" : place.url.slice(place.start, place.end);
  const text = decodePath(raw);
  if (text === undefined) return missed(site, domain, request, info, { ...place, text: "" });
  const key = site.config.ForceLowercaseRouting ? lowerASCII(text) : text;
  const route = domain.router.find(request.method, key, 0, key.length) ??
    (request.method === "HEAD" && !site.config.DisableAutoHead
      ? domain.router.find("GET", key, 0, key.length)
      : undefined);
  if (route === undefined) return missed(site, domain, request, info, { ...place, text });
  return new Context(site, request, info, route, { ...place, text, spans: spansOf(domain, route) });
}

function run(built: Built, ctx: Context, method: string): Response | Promise<Response> {
  const isHead = method === "HEAD";
  try {
    const rest = start(ctx, chainOf(ctx), draftOf(ctx));
    if (rest !== undefined) return answerLater(built, ctx, rest, isHead);
  } catch (error) {
    fail(ctx, error);
  }
  return answer(built, ctx, isHead);
}

/** The domain that a host belongs to. A subdomain never falls through to the root: its paths are another site's. */
function domainOf(built: Built, request: Request, info: ConnectionInfo | undefined): Domain {
  const host = hostName(requestHost(built.site, request, info));
  const { VHost } = built.site.config;
  if (host.startsWith("[") || isAddress(host) || host === hostName(VHost)) return built.root;
  const isSubdomain = subdomainOf(host, VHost) !== "";
  for (const domain of built.subdomains) {
    if (domain.subdomain === "*." ? isSubdomain : host.startsWith(domain.subdomain)) return domain;
  }
  return built.root;
}
