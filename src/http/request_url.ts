/**
 * Where the path and the query lie in the URL of a request.
 *
 * @module
 */

import { restoreSlashes } from "../base/inner_slash.ts";
import { encodePath } from "./canonical_path.ts";

/** Where the path of a request lies in its URL, and where the parameters do. Routing fills in what it finds. */
export interface PathPlace {
  /** The whole URL. */
  readonly url: string;
  /** The index of the path's first slash in the URL. */
  readonly start: number;
  /** The index after the path in the URL. */
  readonly end: number;
  /** The text that `spans` point into: the URL, or the decoded path with its repeated slashes. */
  text: string;
  /** The canonical path, decoded; empty where the path is canonical as it stands, or has a malformed escape. */
  path: string;
  /** The borders of the parameters. */
  spans: readonly number[];
}

const slash = 47;
const question = 63;
const hash = 35;

/**
 * Finds the index at which the host of a URL ends. A whole address such as `http://a?/b` has no path, and its query
 * must not be taken for one.
 *
 * @param url The URL.
 * @param from The index at which the host begins.
 */
export function hostEnd(url: string, from: number = url.indexOf("://") + 3): number {
  for (let at = from; at < url.length; at++) {
    const code = url.charCodeAt(at);
    if (code === slash || code === question || code === hash) return at;
  }
  return url.length;
}

/**
 * Returns the path of a URL as it was sent.
 *
 * @param url The URL.
 * @returns The path; `/` if the URL has none.
 */
export function sentPath(url: string): string {
  const rest = url.slice(hostEnd(url));
  const end = rest.search(/[?#]/);
  return (end < 0 ? rest : rest.slice(0, end)) || "/";
}

/** The borders of no parameters. */
export const noSpans: readonly number[] = [];

/** The path as it was sent, escapes and all; `/` for CONNECT, which names none. */
export function rawPath(place: PathPlace): string {
  return place.url.slice(place.start, place.end) || "/";
}

/** The canonical path, decoded; a path with a malformed escape as it was sent. */
export function decodedPath(place: PathPlace): string {
  return place.path === "" ? rawPath(place) : restoreSlashes(place.path);
}

/** The canonical path as a URL carries it; a path with a malformed escape as it was sent. */
export function encodedPath(place: PathPlace): string {
  return place.path === "" ? rawPath(place) : encodePath(place.path);
}

/** The query with its question mark; empty if there is none. */
export function searchOf(place: PathPlace): string {
  const { url, end } = place;
  if (url[end] !== "?") return "";
  const hash = url.indexOf("#", end);
  return hash < 0 ? url.slice(end) : url.slice(end, hash);
}

/** The canonical path for links that clients follow: escaped, and with the language that was cut off. */
export function publicPath(place: PathPlace & { readonly language: string }): string {
  return place.language === "" ? encodedPath(place) : `/${place.language}${encodedPath(place)}`;
}

/** The index after the question mark; -1 when there is no query. */
export function queryStart(place: PathPlace): number {
  return place.url[place.end] === "?" ? place.end + 1 : -1;
}
