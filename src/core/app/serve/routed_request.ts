/**
 * Routes a request without serving it, for explanations. The router itself decides, so that an explanation cannot
 * disagree with it.
 *
 * @module
 */

import { PathLocator } from "../../../http/headers/path_locator.ts";
import type { AppRuntime } from "../../exchange/app_runtime.ts";
import { newTarget, type RequestTarget } from "../../exchange/request_target.ts";
import type { Domain } from "../build/domain.ts";
import type { PathPrefixes } from "./path_prefix.ts";
import { judgeRequest, type Judgment } from "./unmatched.ts";

/** A request, and how it is served. */
export type RoutedRequest = Judgment & { readonly target: RequestTarget };

/**
 * Routes a request.
 *
 * @param runtime The state of the application.
 * @param domain The routes of the request's host.
 * @param prefixes Removes the base path and the language, if the application has any.
 * @returns A function that takes the method and the path, with an optional query string.
 */
export function routeWith(
  runtime: AppRuntime,
  domain: Domain,
  prefixes: PathPrefixes | undefined,
): (method: string, path: string) => RoutedRequest {
  return (method, path) => {
    const sent = `http://localhost${path}`;
    const { URL = sent, Language = "" } = prefixes?.remove(sent) ?? {};
    const request = new Request("http://localhost/");
    const target = newTarget(runtime, request, undefined, method, URL, new PathLocator().locate(URL));
    target.language = Language;
    return { target, ...judgeRequest(domain, target) };
  };
}
