/**
 * Which route a request leads to: that of its host and of its decoded path.
 *
 * @module
 */

import { isAddress } from "../../base/addresses.ts";
import { restoreSlashes } from "../../base/inner_slash.ts";
import { requestHost, subdomainOf } from "../../context/client/request_host.ts";
import type { Arrival } from "../../context/exchange.ts";
import { hostName } from "../../http/host_name.ts";
import { Methods } from "../../http/methods.ts";
import { lowerASCII } from "../../http/path.ts";
import type { Built } from "../build.ts";
import type { AppRoute, Domain } from "../domain.ts";

/** The route of a decoded path. */
export function findDecoded(domain: Domain, arrival: Arrival): AppRoute | undefined {
  const { runtime: { config }, method, place } = arrival;
  const key = config.ForceLowercaseRouting ? lowerASCII(place.text) : place.text;
  const asked = method === "HEAD" && !config.DisableAutoHead ? "GET" : method;
  const folder = domain.hasFolders && key.endsWith("/") ? domain.router.find(asked, key, 0, key.length - 1) : undefined;
  const route = folder?.servesSlash
    ? folder
    : domain.router.find(method, key, 0, key.length) ?? domain.router.find(asked, key, 0, key.length) ??
      findAny(domain, method, key);
  if (!route?.takesRest) return route;
  // What reads the rest of a path takes an escaped slash for a slash. So must the router: "/files/admin%2Fkeys" would
  // otherwise pass by the guards of "/files/admin/", and "/files/%2Fetc" would be the rest "/etc".
  const from = domain.router.spans[2 * route.names.length - 2] ?? 0;
  const rest = place.text.slice(from);
  const restored = restoreSlashes(rest);
  if (restored === rest) return route;
  place.text = place.text.slice(0, from) + restored;
  return findDecoded(domain, arrival);
}

/** What `Any` registered serves methods of one's own too, such as PROPFIND; it stands under each of the usual ones. */
function findAny(domain: Domain, method: string, key: string): AppRoute | undefined {
  if (Methods.includes(method)) return undefined;
  const route = domain.router.find("TRACE", key, 0, key.length);
  return route?.servesAny ? route : undefined;
}

/** The domain that a host belongs to. A subdomain never falls through to the root: its paths are another site's. */
export function domainOf(built: Built, arrival: Arrival): Domain {
  const host = hostName(requestHost(arrival));
  const { VHost } = built.runtime.config;
  if (host.startsWith("[") || isAddress(host) || host === hostName(VHost)) return built.root;
  const isSubdomain = subdomainOf(host, VHost) !== "";
  for (const domain of built.subdomains) {
    if (domain.subdomain === "*." ? isSubdomain : host.startsWith(domain.subdomain)) return domain;
  }
  return built.root;
}
