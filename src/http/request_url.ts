/**
 * Where the path and the query lie in the URL of a request.
 *
 * @module
 */

import { restoreSlashes } from "../base/inner_slash.ts";
import { encodePath } from "./canonical_path.ts";
import { decodePath } from "./path.ts";

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

/**
 * The path of a URL as it was sent.
 *
 * @param url The URL.
 * @param decode Whether to decode its escapes, if they are well formed.
 * @returns The path; `/` if the URL has none.
 */
export function sentPath(url: string, decode: boolean): string {
  const start = url.indexOf("/", url.indexOf("://") + 3);
  if (start < 0) return "/";
  const length = url.slice(start).search(/[?#]/);
  const path = length < 0 ? url.slice(start) : url.slice(start, start + length);
  return decode ? restoreSlashes(decodePath(path) ?? path) : path;
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

/** The index after the question mark; -1 when there is no query. */
export function queryStart(place: PathPlace): number {
  return place.url[place.end] === "?" ? place.end + 1 : -1;
}
