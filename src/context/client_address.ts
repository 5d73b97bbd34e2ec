/**
 * Who asks, and which host they ask for.
 *
 * @module
 */

import { isAddress } from "../base/addresses.ts";
import type { Site } from "./app_runtime.ts";

/** What is known of the connection; `Deno.ServeHandlerInfo` has it all, a test may leave it out. */
export interface ConnectionInfo {
  /** The address of the peer. */
  readonly remoteAddr?: Deno.Addr;
  /** Settles when the answer was sent, or could not be. */
  readonly completed?: Promise<void>;
}

/** The client's address without port: the peer's, or what trusted proxies say it is. */
export function remoteAddr(site: Site, request: Request, info: ConnectionInfo | undefined): string {
  const peer = peerAddress(info);
  const headers = site.config.RemoteAddrHeaders;
  if (headers.length === 0 || !isTrusted(site, info, peer)) return peer;
  for (const header of headers) {
    const client = forwardedClient(site, request.headers.get(header));
    if (client !== undefined) return client;
  }
  return peer;
}

/** The host that the client asked for, with its port if it named one. */
export function requestHost(site: Site, request: Request, info: ConnectionInfo | undefined): string {
  const headers = site.config.HostProxyHeaders;
  if (headers.length > 0 && isTrusted(site, info, peerAddress(info))) {
    for (const header of headers) {
      const named = request.headers.get(header)?.split(",")[0]?.trim();
      if (named !== undefined && named !== "") return named;
    }
  }
  const url = request.url;
  const from = url.indexOf("://") + 3;
  const slash = url.indexOf("/", from);
  return slash < 0 ? url.slice(from) : url.slice(from, slash);
}

/**
 * The part of a host name before the root domain, such as `admin.` of `admin.example.com`.
 *
 * @param host The host, with or without port.
 * @param vhost The root domain if it is configured; else it is the last two labels, or `localhost`.
 * @returns The subdomain with its final dot, in small letters; empty for the root domain and for addresses.
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

/** A host in small letters and without its port. */
export function hostName(host: string): string {
  return host.toLowerCase().replace(/:\d*$/, "");
}

function peerAddress(info: ConnectionInfo | undefined): string {
  const addr = info?.remoteAddr;
  return addr !== undefined && "hostname" in addr ? unmapped(addr.hostname) : "";
}

/** An IPv4 address as it is, also where a socket for both kinds of addresses writes it as an IPv6 one. */
function unmapped(address: string): string {
  return /^::ffff:\d/i.test(address) && address.includes(".") ? address.slice(7) : address;
}

function isTrusted(site: Site, info: ConnectionInfo | undefined, peer: string): boolean {
  // Whoever reaches a unix socket is on this machine: the proxy in front.
  return site.proxies.has(peer) || info?.remoteAddr?.transport === "unix";
}

/**
 * The last address in a forwarding list that no trusted proxy has: whoever stands before it could have made it up. Where
 * all are trusted the client is one of them, the first.
 */
function forwardedClient(site: Site, list: string | null): string | undefined {
  const entries = list?.split(",").map(bareAddress) ?? [];
  for (const entry of entries.reverse()) {
    if (!isAddress(entry)) return undefined;
    if (!site.proxies.has(entry)) return entry;
  }
  return entries.at(-1);
}

function bareAddress(entry: string): string {
  const text = entry.trim();
  const bracketed = /^\[([^\]]+)\](?::\d+)?$/.exec(text);
  if (bracketed !== null) return bracketed[1] ?? "";
  return text.replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, "$1");
}
