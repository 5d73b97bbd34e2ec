/**
 * Routes a request without serving it, for explanations. The router itself decides, so that an explanation cannot
 * disagree with it.
 *
 * @module
 */

import { FrameworkError } from "../../../base/errors/errors.ts";
import { PathLocator } from "../../../http/headers/path_locator.ts";
import { newTarget, type RequestTarget } from "../../exchange/request_target.ts";
import type { Built } from "../build/build.ts";
import type { Domain } from "../build/domain.ts";
import type { PathPrefixes } from "./path_prefix.ts";
import { judgeRequest, type Judgment } from "./unmatched.ts";

/** A request, and how it is served. */
export type RoutedRequest = Judgment & { readonly target: RequestTarget };

/** The routes of a host, and a function that takes the method and the path, with an optional query string. */
interface Routing {
  readonly domain: Domain;
  readonly route: (method: string, path: string) => RoutedRequest;
}

/**
 * Finds the routes of a host.
 *
 * @param built The application.
 * @param subdomain The subdomain, or an empty string.
 * @param prefixes Removes the base path and the language, if the application has any.
 * @throws {FrameworkError} If the subdomain has no party.
 */
export function routingOf(
  { runtime, root, subdomains }: Built,
  subdomain: string,
  prefixes: PathPrefixes | undefined,
): Routing {
  const domain = subdomain === "" ? root : subdomains.get(subdomain);
  if (domain === undefined) {
    throw new FrameworkError("FW_STATE", `Cannot explain a request to "${subdomain}": no party has this subdomain`);
  }
  const route = (method: string, path: string): RoutedRequest => {
    const sent = `http://localhost${path}`;
    const { URL = sent, Language = "" } = prefixes?.remove(sent) ?? {};
    const request = new Request("http://localhost/");
    const target = newTarget(runtime, request, undefined, method, URL, new PathLocator().locate(URL));
    target.language = Language;
    return { target, ...judgeRequest(domain, target) };
  };
  return { domain, route };
}
