/**
 * Where the path and the query lie in the URL of a request.
 *
 * @module
 */

import { restoreSlashes } from "../base/inner_slash.ts";

/** Where the path of a request lies in its URL, and where the parameters do. Routing fills in what it finds. */
export interface PathPlace {
  /** The whole URL. */
  readonly url: string;
  /** The index of the path's first slash in the URL. */
  readonly start: number;
  /** The index after the path in the URL. */
  readonly end: number;
  /** The text that `spans` point into: the URL, or the decoded path. */
  text: string;
  /** The borders of the parameters. */
  spans: readonly number[];
}

/** The borders of no parameters. */
export const noSpans: readonly number[] = [];

/** The path as it was sent, escapes and all; `/` for CONNECT, which names none. */
export function rawPath(place: PathPlace): string {
  return place.url.slice(place.start, place.end) || "/";
}

/** The path with its escapes decoded; a path with a malformed one as it was sent. */
export function decodedPath(place: PathPlace): string {
  // What matched without being decoded holds no escape.
  if (place.text === place.url || place.text === "") return rawPath(place);
  return restoreSlashes(place.text);
}

/** The index after the question mark; -1 when there is no query. */
export function queryStart(place: PathPlace): number {
  return place.url[place.end] === "?" ? place.end + 1 : -1;
}
