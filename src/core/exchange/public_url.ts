/**
 * Builds all URLs that leave the application: links, redirects, cookie paths and absolute URLs.
 *
 * A public path consists of the prefix of the applications that this one is mounted in, the base path, the language and
 * the application's own path. The router only sees the last part, so that routes, guards and caches do not depend on
 * where an application is published.
 *
 * @module
 */

import { checkText } from "../../base/config/option_table.ts";
import { HTTPError } from "../../base/errors/errors.ts";
import { encodePath } from "../../http/headers/canonical_path.ts";
import { encodedPath, rawPath, searchOf } from "../../http/headers/request_url.ts";
import { leadingLanguage } from "./languages.ts";
import { basePath } from "./peer/base_path.ts";
import type { SentCookie } from "../../http/response/cookies.ts";
import { requestHost, subdomainOf } from "./peer/request_host.ts";
import { requestOrigin, requestScheme } from "./peer/request_scheme.ts";
import type { RequestTarget } from "./request_target.ts";

/** Matches the path of an application. `//host` leads to another site, and browsers treat `/\host` in the same way. */
const ownPath = /^\/(?![/\\])/;

/** Returns the public path of the application, without the language. It is empty if the application is at the root. */
export function rootPath(target: RequestTarget): string {
  return (target.outer?.prefix ?? "") + basePath(target);
}

/** Returns the public path that precedes the application's own paths, including the language of the request's path. */
export function homePath(target: RequestTarget): string {
  return pathIn(rootPath(target), target.language, "");
}

/** Returns the public path that precedes the paths in links, including their language. */
export function linkHome(target: RequestTarget): string {
  return pathIn(linkRoot(target), linkLanguage(target), "");
}

/** Returns the public path of the application in links. Paths of the applications around it may have languages. */
function linkRoot(target: RequestTarget): string {
  const outside = outsideOf(target);
  if (outside === undefined) return rootPath(target);
  return linkHome(outside) + (target.outer?.removed ?? "") + basePath(target);
}

/** Returns the request of the application that this one is mounted in. */
export function outsideOf({ outer }: RequestTarget): RequestTarget | undefined {
  // The record was created by fw, so this is a target.
  return outer?.outside as RequestTarget | undefined;
}

/** Returns the public path for a URL-encoded path of the application in a language, or in none if it is empty. */
export function pathIn(root: string, language: string, path: string): string {
  return language === "" ? root + path : `${root}/${language}${path}`;
}

/** Returns the public path of the request, in its canonical and URL-encoded form. */
export function publicPath(target: RequestTarget): string {
  return homePath(target) + encodedPath(target);
}

/**
 * Returns the public path for a path of the application, without a language. A path that already starts with the public
 * path of the application is not changed.
 */
export function rootedPath(target: RequestTarget, path: string): string {
  return belowRoot(rootPath(target), path);
}

/** Adds the prefix of a mounted application to a path, unless the path is a public path already. */
export function mountedPath(target: RequestTarget, path: string): string {
  return isBelow(path, linkRoot(target)) || pathInside(target, path) !== undefined
    ? path
    : belowRoot(target.outer?.prefix ?? "", path);
}

/** Adds the public path of the application to a path, unless the path already starts with it. */
export function belowRoot(root: string, path: string): string {
  return !ownPath.test(path) || isBelow(path, root) ? path : root + path;
}

/**
 * Returns the public URL for a URL reference. A path is a path of the application. It gets the application's public
 * path and the language of links, unless it already has them. Relative references and absolute URLs are not
 * changed.
 */
export function linkTo(target: RequestTarget, reference: string): string {
  const { languages } = target.runtime;
  const language = linkLanguage(target);
  const inside = pathInside(target, reference);
  const rooted = inside === undefined
    ? belowRoot(linkRoot(target), reference)
    : linkTo(outsideOf(target) as RequestTarget, reference);
  if (language === "" || languages === undefined || !ownPath.test(rooted)) return rooted;
  const path = inside ?? rooted.slice(linkRoot(target).length);
  if (leadingLanguage(path, languages.catalog) !== undefined) return rooted;
  return `${rooted.slice(0, rooted.length - path.length)}/${language}${path}`;
}

/**
 * Returns the path below the prefix of a mounted application, if a path has this prefix. It may be a path in another
 * language of the applications around it, such as the page that required a login.
 */
function pathInside(target: RequestTarget, path: string): string | undefined {
  const outside = outsideOf(target);
  if (outside === undefined || rootedPath(outside, path) !== path) return undefined;
  const prefix = (target.outer?.removed ?? "") + basePath(target);
  const { path: outer } = ownPathOf(outside, path);
  return isBelow(outer, prefix) ? outer.slice(prefix.length) : undefined;
}

/** The path of an application and its language. */
export interface OwnPath {
  readonly path: string;
  /** The language at the start of the path, or an empty string if there is none. */
  readonly language: string;
}

/** Returns the application's own path for a public path. This is the inverse of {@linkcode linkTo}. */
export function ownPathOf(target: RequestTarget, path: string): OwnPath {
  const { languages } = target.runtime;
  const root = rootPath(target);
  const rest = isBelow(path, root) ? path.slice(root.length) : path;
  // Without a language in its path, a request can only run routes without one.
  const found = target.language === "" || languages === undefined
    ? undefined
    : leadingLanguage(rest, languages.catalog);
  const own = found === undefined ? rest : rest.slice(found.length);
  return { path: own.startsWith("/") ? own : `/${own}`, language: found?.language ?? target.language };
}

/**
 * Returns an absolute URL for the client. References are resolved against the request URL. If the `Host` header check
 * is disabled, a client may send a host that is not valid in a URL.
 */
export function absoluteURI(target: RequestTarget, reference: string): string {
  checkText(reference, "reference", "AbsoluteURI");
  const base = `${requestOrigin(target)}${publicPath(target)}${searchOf(target)}`;
  if (!URL.canParse(base)) throw new HTTPError(400, "Cannot build a URL: the Host header is malformed");
  return new URL(linkTo(target, reference), base).href;
}

/**
 * Returns the scheme and host of a subdomain of the request's root domain.
 *
 * @param target The request.
 * @param subdomain The subdomain with its trailing dot, or an empty string for the root domain.
 */
export function originAt(target: RequestTarget, subdomain: string): string {
  const host = requestHost(target) || "localhost";
  const root = host.slice(subdomainOf(host, target.runtime.config.VHost).length);
  return `${requestScheme(target)}://${subdomain}${root}`;
}

/** Returns the public URL of the request at another origin, with its path and query string. */
export function sameAt(target: RequestTarget, origin: string): string {
  return origin + publicPath(target) + searchOf(target);
}

/** Returns the URL-encoded path, including the repeated slashes that are part of parameter values. */
export function valuePath(target: RequestTarget): string {
  return target.path === "" ? rawPath(target) : encodePath(target.text);
}

/**
 * Returns a cookie with the attributes that depend on the request: its path, and whether it is secure. By default, a
 * cookie is sent to the outermost application and to those mounted in it, because they often share sessions.
 *
 * @param target The request.
 * @param name The cookie name. Browsers require the path `/` for names that start with `__Host-`.
 * @param value The cookie value.
 * @param path The path of the application that the cookie is for.
 */
export function cookieFor(target: RequestTarget, name: string, value: string, path: string | undefined): SentCookie {
  return { name, value, path: cookiePath(target, name, path), secure: requestScheme(target) === "https" };
}

function cookiePath(target: RequestTarget, name: string, path: string | undefined): string {
  if (path !== undefined) return path === "/" ? path : rootedPath(target, path);
  if (/^__host-/i.test(name)) return "/";
  return (target.outer?.base ?? basePath(target)) || "/";
}

/** Returns the language of links. A language switch leads to pages in the chosen language, not in that of its path. */
function linkLanguage({ linkLanguage, language }: RequestTarget): string {
  return linkLanguage ?? language;
}

/** Reports whether a path is the public path of the application or starts with it. */
function isBelow(path: string, root: string): boolean {
  return root !== "" && path.startsWith(root) && /^(?:[/?#]|$)/.test(path.slice(root.length, root.length + 1));
}
