/**
 * Determines the response to unmatched requests: a redirect, an `OPTIONS` response, 404 or 405.
 *
 * @module
 */

import type { Configuration } from "../../../base/config/config.ts";
import { trimFinalSlashes } from "../../../http/headers/path.ts";
import { escapeLocation } from "../../../http/response/redirect.ts";
import type { RefusedPath } from "../../../http/router/refusals.ts";
import type { Domain } from "./domain.ts";

/** The response to an unmatched request. */
export interface UnmatchedOutcome {
  readonly status: number;
  readonly header?: readonly [string, string];
  /** The parameter that rejected the path, if that is the only reason. */
  readonly refused?: RefusedPath;
}

/** The method of a request and the configuration. */
export interface AskedMethod {
  readonly config: Readonly<Configuration>;
  readonly method: string;
}

/**
 * Determines the response to an unmatched request.
 *
 * @param domain The routes of the request's host.
 * @param asked The method of the request and the configuration.
 * @param path The decoded path without trailing slashes, or an empty string if an escape is malformed.
 */
export function unmatchedOutcomeOf(domain: Domain, { config, method }: AskedMethod, path: string): UnmatchedOutcome {
  if (path === "") return { status: 400 };
  const { router } = domain;
  // HEAD requests are rejected in the same way as GET requests.
  const asked = method === "HEAD" && config.AutoHead ? [method, "GET"] : [method];
  const refused = asked.map((each) => router.refusal(each, path, 0, path.length)).find((each) => each !== undefined);
  if (refused !== undefined) return { status: refused.code, refused };
  // "OPTIONS *" applies to the server as a whole.
  const found = method === "OPTIONS" && path === "/*" ? router.methods() : methodsAt(domain, path);
  if (found.length === 0) return { status: 404 };
  const methods = new Set(found);
  if (methods.has("GET") && config.AutoHead) methods.add("HEAD");
  if (config.AutoOptions) methods.add("OPTIONS");
  const header = ["allow", [...methods].sort().join(", ")] as const;
  if (method === "OPTIONS" && config.AutoOptions) return { status: 204, header };
  return config.MethodNotAllowed ? { status: 405, header } : { status: 404 };
}

/** Returns the methods whose routes have something for a path. */
function methodsAt({ router }: Domain, path: string): readonly string[] {
  const found = router.methodsAt(path, 0, path.length);
  return found.filter((method) => router.find(method, path, 0, path.length)?.yieldsAt?.(path) !== true);
}

/**
 * Redirects the client to the path without the trailing slash.
 *
 * @param method The method of the request.
 * @param path The canonical path in its escaped form. The path as sent, such as `//host/`, could lead to another site.
 * @param search The query string with its question mark, or an empty string.
 */
export function redirection(method: string, path: string, search: string): UnmatchedOutcome {
  const isSafe = method === "GET" || method === "HEAD";
  const location = escapeLocation(`${trimFinalSlashes(path) || "/"}${search}`);
  return { status: isSafe ? 301 : 307, header: ["location", location] };
}

/** Returns the end index of a path without its trailing slashes. */
export function trimmedEnd(path: string): number {
  let end = path.length;
  while (end > 1 && path.endsWith("/", end)) end--;
  return end;
}
