/**
 * The host that a request is for.
 *
 * @module
 */

import { isAddress } from "../../../base/text/addresses.ts";
import { hostName, isCommonHost } from "../../../http/headers/host_name.ts";
import { hostEnd } from "../../../http/headers/request_url.ts";
import { forwardedFact, isFromProxy } from "./forwarding.ts";
import { peerOf, type Sender } from "./peer_address.ts";

/**
 * Returns the host that the client requested, with its port if there is one. Returns an empty string if the host is
 * neither a valid name nor an address.
 */
export function requestHost(sender: Sender): string {
  return peerOf(sender).host ??= findHost(sender);
}

function findHost(sender: Sender): string {
  const { url } = sender;
  const headers = sender.runtime.config.HostProxyHeaders;
  const named = headers.length > 0 && isFromProxy(sender) ? forwardedFact(sender, headers, "host") : undefined;
  if (named !== undefined && isCommonHost(named)) return named;
  const host = url.slice(url.indexOf("://") + 3, hostEnd(url));
  return isCommonHost(host) ? host : "";
}

/**
 * Returns the part of a host name before the root domain, such as `admin.` for `admin.example.com`.
 *
 * @param host The host, with or without port.
 * @param vhost The configured root domain. If empty, the root domain is the last two labels, or `localhost`.
 * @returns The subdomain with a trailing dot, in lower case. Empty for the root domain and for IP addresses.
 */
export function subdomainOf(host: string, vhost: string): string {
  const name = hostName(host);
  if (name.startsWith("[") || isAddress(name)) return "";
  if (vhost !== "") {
    const root = hostName(vhost);
    return name.endsWith(`.${root}`) ? name.slice(0, -root.length) : "";
  }
  const labels = name.split(".");
  const rootLabels = labels.at(-1) === "localhost" ? 1 : 2;
  return labels.length > rootLabels ? `${labels.slice(0, -rootLabels).join(".")}.` : "";
}

/** Returns the first label of a subdomain, such as `bob` for `bob.eu.`. */
export function firstLabel(subdomain: string): string {
  return subdomain.slice(0, Math.max(subdomain.indexOf("."), 0));
}
