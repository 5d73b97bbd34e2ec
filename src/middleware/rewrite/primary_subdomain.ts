/**
 * Publishes a site at one of its subdomains.
 *
 * @module
 */

import { FrameworkError } from "../../base/errors/errors.ts";
import { isAddress } from "../../base/text/addresses.ts";
import type { RouterWrapper } from "../../core/context/router_wrapper.ts";
import { hostName } from "../../http/headers/host_name.ts";
import { hostEnd } from "../../http/headers/request_url.ts";
import { escapeLocation, movedStatus } from "../../http/response/redirect.ts";

/** Returns the subdomain with a trailing dot, or `undefined` if there is none. */
export function primaryOf(name: string | undefined): string | undefined {
  if (name === undefined) return undefined;
  if (!/^[a-z0-9-]+(?:\.[a-z0-9-]+)*\.?$/i.test(name)) {
    throw new FrameworkError("FW_CONFIG", `Cannot use "${name}" as the primary subdomain: it is not a host name`);
  }
  return (name.endsWith(".") ? name : `${name}.`).toLowerCase();
}

/**
 * Redirects the root domain to a subdomain, and serves that subdomain like the root domain.
 *
 * @param primary The subdomain with its trailing dot.
 * @param serve The wrapper for all requests that are not redirected.
 */
export function atPrimary(primary: string, serve: RouterWrapper): RouterWrapper {
  return function primarySubdomain(request, next, connection, meant, link, host) {
    const url = meant?.URL ?? request.url;
    const asked = hostName(host?.() ?? "");
    const root = hostOf(link?.("/", ""));
    if (asked === "" || asked.startsWith("[") || isAddress(asked) || hostName(root) === "localhost") {
      return serve(request, next, connection, meant, link, host);
    }
    if (asked === hostName(root)) {
      const location = escapeLocation(link?.(url.slice(hostEnd(url)) || "/", primary) ?? "");
      return new Response(null, { status: movedStatus(meant?.Method ?? request.method), headers: { location } });
    }
    if (asked !== primary + hostName(root)) return serve(request, next, connection, meant, link, host);
    // The site is published at the subdomain, so the routes of the root domain serve it.
    return serve(request, (other, more) => next(other, { Host: root, ...more }), connection, meant, link, host);
  };
}

/** Returns the host of a URL, with its port. */
function hostOf(url: string | undefined): string {
  return url === undefined ? "" : url.slice(url.indexOf("://") + 3, hostEnd(url));
}
