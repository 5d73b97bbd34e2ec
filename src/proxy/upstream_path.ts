/**
 * The URL of a proxied request, and the way back from the URLs of the upstream server.
 *
 * @module
 */

import { HTTPError } from "../errors/errors.ts";
import { homePath } from "../exchange/public_url.ts";
import type { RequestTarget } from "../exchange/request_target.ts";
import { trimFinalSlashes } from "../http/path.ts";
import { encodedPath, searchOf } from "../http/request_url.ts";

/** The place of a request at the upstream server. */
export interface UpstreamPlace {
  readonly url: URL;
  /** The public path that corresponds to the path of the upstream server, without a final slash. */
  readonly prefix: string;
}

/**
 * Returns the URL of the upstream server for a request.
 *
 * @param target The request.
 * @param base The URL of the upstream server.
 * @param depth The number of path segments that are not passed on, which is that of the party's prefix.
 * @throws {HTTPError} With status 400 if the upstream server could read another path than the guards of this
 * application.
 */
export function upstreamPlace(target: RequestTarget, base: URL, depth: number): UpstreamPlace {
  const path = encodedPath(target);
  let start = 0;
  for (let at = 0; at < depth && start >= 0; at++) start = path.indexOf("/", start + 1);
  const removed = start < 0 ? path : path.slice(0, start);
  const rest = path.slice(removed.length);
  if (isAmbiguous(rest)) throw new HTTPError(400, "The path contains hidden segments");
  // The URL parser would turn a backslash into a slash.
  const joined = trimFinalSlashes(base.pathname) + rest.replaceAll("\\", "%5C");
  return {
    url: new URL(`${base.origin}${joined || "/"}${searchOf(target)}`),
    prefix: homePath(target) + trimFinalSlashes(removed),
  };
}

/**
 * Reports whether other servers read a path differently: those that decode it before they split it, as in
 * `x%2f..%2fadmin`, and those in Java, for which `admin;x` and `..;` are `admin` and `..`.
 */
function isAmbiguous(path: string): boolean {
  const decoded = path.replace(/%2e/gi, ".").replace(/%2f|%5c/gi, "/");
  return /[\0-\x20\x7f;]|%[01][0-9a-f]|%3b/i.test(decoded) || /(?:^|[/\\])\.\.?(?:[/\\]|$)/.test(decoded);
}

/**
 * Returns the public URL for a URL of the upstream server.
 *
 * @param location The value of a `Location` header.
 * @param place The place of the request.
 * @param base The URL of the upstream server.
 * @returns The public path, or the location itself if it leads elsewhere or is relative to the request.
 */
export function publicLocation(location: string, { url, prefix }: UpstreamPlace, base: URL): string {
  if (!/^(?:[a-z][a-z0-9+.-]*:|\/)/i.test(location) || !URL.canParse(location, url)) return location;
  const { origin, pathname, search, hash } = new URL(location, url);
  const root = trimFinalSlashes(base.pathname);
  if (origin !== base.origin || !(pathname === root || pathname.startsWith(`${root}/`))) return location;
  const path = prefix + pathname.slice(root.length);
  // A path that begins with two slashes would lead to another host.
  return `${path.replace(/^\/{2,}/, "/") || "/"}${search}${hash}`;
}
