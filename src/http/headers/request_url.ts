/**
 * The location of the path and the query string in a request URL.
 *
 * @module
 */

import { restoreSlashes } from "../../base/text/path_value.ts";
import { encodePath } from "./canonical_path.ts";

/** The location of the path and its parameters in a request URL. The router fills in the parameters. */
export interface PathPlace {
  /** The whole URL. */
  readonly url: string;
  /** The index of the path's first slash. */
  readonly start: number;
  /** The index after the path. */
  readonly end: number;
  /** The string that `spans` refers to: the URL, or the decoded path including repeated slashes. */
  text: string;
  /** The decoded canonical path. Empty if the path is already canonical or contains a malformed escape sequence. */
  path: string;
  /** The start and end indexes of the parameters. */
  spans: readonly number[];
}

const slash = 47;
const question = 63;
const hash = 35;

/**
 * Finds the index at which the host of a URL ends. A URL such as `http://a?/b` has no path, and its query string must
 * not be mistaken for one.
 *
 * @param url The URL.
 * @param from The index of the first character of the host.
 */
export function hostEnd(url: string, from: number = url.indexOf("://") + 3): number {
  for (let at = from; at < url.length; at++) {
    const code = url.charCodeAt(at);
    if (code === slash || code === question || code === hash) return at;
  }
  return url.length;
}

/**
 * Returns the path of a URL as sent.
 *
 * @param url The URL.
 * @returns The path, or `/` if the URL has none.
 */
export function sentPath(url: string): string {
  const rest = url.slice(hostEnd(url));
  const end = rest.search(/[?#]/);
  return (end < 0 ? rest : rest.slice(0, end)) || "/";
}

/** The spans of a path without parameters. */
export const noSpans: readonly number[] = [];

/** Returns the path as sent, with its escape sequences. For CONNECT, which has no path, returns `/`. */
export function rawPath(place: PathPlace): string {
  return place.url.slice(place.start, place.end) || "/";
}

/** Returns the decoded canonical path. If an escape sequence is malformed, the path is returned as sent. */
export function decodedPath(place: PathPlace): string {
  return place.path === "" ? rawPath(place) : restoreSlashes(place.path);
}

/**
 * Returns the canonical path in its URL-encoded form. If an escape sequence is malformed, the path is returned as sent.
 */
export function encodedPath(place: PathPlace): string {
  return place.path === "" ? rawPath(place) : encodePath(place.path);
}

/** Returns the query string with its question mark, or an empty string if there is none. */
export function searchOf(place: PathPlace): string {
  const { url, end } = place;
  if (url[end] !== "?") return "";
  const hash = url.indexOf("#", end);
  return hash < 0 ? url.slice(end) : url.slice(end, hash);
}

/** Returns the index after the question mark, or -1 if there is no query string. */
export function queryStart(place: PathPlace): number {
  return place.url[place.end] === "?" ? place.end + 1 : -1;
}
