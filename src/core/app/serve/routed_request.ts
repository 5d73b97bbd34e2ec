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

/** The application and the host that a request is routed in. */
export interface RoutingSource {
  readonly runtime: AppRuntime;
  readonly domain: Domain;
  /** Removes the base path and the language, if the application has any. */
  readonly prefixes: PathPrefixes | undefined;
}

/** Routes a request, given its method and its path, with an optional query string. */
export function routeRequest(
  { runtime, domain, prefixes }: RoutingSource,
  method: string,
  path: string,
): RoutedRequest {
  const sent = `http://localhost${path}`;
  const { URL = sent, Language = "" } = prefixes?.remove(sent) ?? {};
  const request = new Request("http://localhost/");
  const target = newTarget(runtime, request, undefined, method, URL, new PathLocator().locate(URL));
  target.language = Language;
  return { target, ...judgeRequest(domain, target) };
}
