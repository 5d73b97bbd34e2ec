/**
 * The responses to requests that no route serves: redirects, `OPTIONS`, 404 and 405.
 *
 * @module
 */

import type { Configuration } from "../base/config.ts";
import { trimFinalSlashes } from "../http/path.ts";
import { escapeLocation } from "../response/redirect.ts";
import type { Domain } from "./domain.ts";

/** What a request without a route gets. */
export interface UnmatchedOutcome {
  readonly status: number;
  readonly header?: readonly [string, string];
}

/** What is asked of a path. */
export interface AskedMethod {
  readonly config: Readonly<Configuration>;
  readonly method: string;
}

/**
 * Decides what a request without a route gets.
 *
 * @param domain The routes of the request's host.
 * @param asked The method of the request, and the configuration.
 * @param path The decoded path without its final slashes; empty if an escape is malformed.
 */
export function judgeUnmatched(domain: Domain, { config, method }: AskedMethod, path: string): UnmatchedOutcome {
  if (path === "") return { status: 400 };
  const { router } = domain;
  // HEAD is refused as GET is.
  const asked = method === "HEAD" && config.AutoHead ? [method, "GET"] : [method];
  const elseCode = asked.map((each) => router.elseCode(each, path, 0, path.length)).find((code) => code !== 404);
  if (elseCode !== undefined) return { status: elseCode };
  // "OPTIONS *" asks about the server as a whole.
  const found = method === "OPTIONS" && path === "/*" ? router.methods() : router.methodsAt(path, 0, path.length);
  if (found.length === 0) return { status: 404 };
  const methods = new Set(found);
  if (methods.has("GET") && config.AutoHead) methods.add("HEAD");
  if (config.AutoOptions) methods.add("OPTIONS");
  const header = ["allow", [...methods].sort().join(", ")] as const;
  if (method === "OPTIONS" && config.AutoOptions) return { status: 204, header };
  return config.MethodNotAllowed ? { status: 405, header } : { status: 404 };
}

/**
 * Sends the client to the path without its final slash.
 *
 * @param method The method of the request.
 * @param path The canonical path, escaped: as it was sent, `//host/` would lead away.
 * @param search The query with its question mark, or nothing.
 */
export function redirection(method: string, path: string, search: string): UnmatchedOutcome {
  const isSafe = method === "GET" || method === "HEAD";
  const location = escapeLocation(`${trimFinalSlashes(path) || "/"}${search}`);
  return { status: isSafe ? 301 : 307, header: ["location", location] };
}

/** The index after a path without its final slashes. */
export function trimmedEnd(path: string): number {
  let end = path.length;
  while (end > 1 && path.endsWith("/", end)) end--;
  return end;
}
