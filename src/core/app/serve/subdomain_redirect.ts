/**
 * Redirects one host of an application to another, before routing.
 *
 * @module
 */

import { isAddress } from "../../../base/text/addresses.ts";
import { hostName } from "../../../http/headers/host_name.ts";
import { PathLocator } from "../../../http/headers/path_locator.ts";
import { escapeLocation, movedStatus } from "../../../http/response/redirect.ts";
import type { RouterWrapper } from "../../context/router_wrapper.ts";
import type { AppRuntime } from "../../exchange/app_runtime.ts";
import { requestHost, subdomainOf } from "../../exchange/peer/request_host.ts";
import { originAt, sameAt } from "../../exchange/public_url.ts";
import { newTarget, type RequestTarget } from "../../exchange/request_target.ts";
import type { Registry } from "../record/registry.ts";
import { domainOf, domainsOf } from "./find_route.ts";

/** Two subdomains with their trailing dots. The root domain is an empty string. */
export interface HostRedirect {
  readonly from: string;
  readonly to: string;
}

/** Creates the wrapper that redirects one host to another. It sees the path that the client sent. */
export function subdomainRedirect(runtime: AppRuntime, registry: Registry, { from, to }: HostRedirect): RouterWrapper {
  const locator = new PathLocator();
  const domains = domainsOf(registry);
  return (request, next, connection, { URL = request.url, Method = request.method, Language = "" } = {}) => {
    const target = newTarget(runtime, request, connection, Method, URL, locator.locate(URL));
    target.language = Language;
    const isFrom = from === "" ? isRoot(target) : domainOf(domains, target).subdomain === from;
    if (!isFrom) return next(request);
    const location = escapeLocation(sameAt(target, originAt(target, to)));
    return new Response(null, { status: movedStatus(Method), headers: { location } });
  };
}

/** Reports whether a request is for the root domain. An address and a foreign host have no subdomains. */
function isRoot(target: RequestTarget): boolean {
  const { VHost } = target.runtime.config;
  const host = hostName(requestHost(target));
  if (host === "" || host.startsWith("[") || isAddress(host)) return false;
  return VHost === "" ? subdomainOf(host, VHost) === "" : host === hostName(VHost);
}
