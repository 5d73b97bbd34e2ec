/**
 * The first line of a request: its method, and where the host and the path lie in its URL.
 *
 * @module
 */

import { innerSlash, restoreSlashes } from "../base/text.ts";

/** The name of an HTTP method: an editor offers the usual ones, any other text is accepted and checked later. */
export type MethodName =
  | "GET"
  | "POST"
  | "PUT"
  | "DELETE"
  | "CONNECT"
  | "HEAD"
  | "PATCH"
  | "OPTIONS"
  | "TRACE"
  | (string & Record<never, never>);

/** The usual methods. A route can have any other; what `Any` registers serves those too. */
export const Methods: readonly string[] = [
  "GET",
  "POST",
  "PUT",
  "DELETE",
  "CONNECT",
  "HEAD",
  "PATCH",
  "OPTIONS",
  "TRACE",
];

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

/** What a first look at a URL shows. */
export interface LocatedPath extends PathPlace {
  /** The path can be matched as it stands: it has no escape. */
  readonly isPlain: boolean;
  /**
   * The path may not be what was asked for: the host holds what a host may not, or there is a second slash, in the path or
   * in the query, so that the first may be one of the `Host` header.
   */
  readonly isDoubtful: boolean;
  /** The host is written with what a host may be written with. */
  readonly isHostGood: boolean;
}

/** The borders of no parameters. */
export const noSpans: readonly number[] = [];

const slash = 47;
const percent = 37;
const question = 63;
const hash = 35;
const colon = 58;

/**
 * Finds the path of a URL. By one walk: each call of `indexOf` and its like costs as much as the whole walk over a usual
 * URL, and `startsWith` on the origin of the last one half as much again.
 */
export function locatePath(url: string): LocatedPath {
  let start = Math.min(hostStart(url), url.length);
  let isHostGood = true;
  for (; start < url.length; start++) {
    const code = url.charCodeAt(start);
    if (code === slash) break;
    if (hostLetters[code] !== 1) isHostGood = false;
  }
  // CONNECT names a host and no path.
  const hasPath = start < url.length;
  let isPlain = hasPath;
  let end = start;
  let slashes = 0;
  for (; end < url.length; end++) {
    const code = url.charCodeAt(end);
    if (code === question || code === hash) break;
    if (code === percent) isPlain = false;
    else if (code === slash) slashes++;
  }
  const isDoubtful = (hasPath && !isHostGood) || slashes > 1 || (end < url.length && url.indexOf("/", end) >= 0);
  return { url, start, end, text: url, spans: noSpans, isPlain, isDoubtful, isHostGood };
}

/** The index at which the host of a URL begins. */
function hostStart(url: string): number {
  if (url.charCodeAt(4) === colon) return 7;
  return url.charCodeAt(5) === colon ? 8 : url.indexOf("://") + 3;
}

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

/**
 * Decodes a path once, with `%2F` kept apart from the slashes between segments.
 *
 * @returns The decoded path, or `undefined` when an escape is malformed.
 */
export function decodePath(path: string): string | undefined {
  try {
    return decodeURIComponent(path.replaceAll(/%2f/gi, innerSlash));
  } catch {
    return undefined;
  }
}

/**
 * Cuts the slashes at the end of a path off. By a walk: an expression such as `/\/+$/` begins anew at every slash of the
 * path, and 60,000 of them take seconds.
 *
 * @returns The path; empty for one that is nothing but slashes.
 */
export function trimFinalSlashes(path: string): string {
  let end = path.length;
  while (end > 0 && path.charCodeAt(end - 1) === slash) end--;
  return path.slice(0, end);
}

/** Lowers A to Z and nothing else: the length must stay, since parameters are found by position. */
export function lowerASCII(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/** What a host with a port may be written with (RFC 3986, 3.2.2). */
const hostText = /^[A-Za-z0-9.\-_~!$&'()*+,;=%:[\]]*$/;
/** What names and addresses that exist are written with: in a link, a percent sign alone is an error. */
const plainText = /^[A-Za-z0-9.\-_~:[\]]+$/;

/** By character code: 1 for what a host with a port may be written with. */
const hostLetters: Uint8Array = Uint8Array.from(
  { length: 128 },
  (_, code) => Number(hostText.test(String.fromCharCode(code))),
);

/** Reports whether a text is a host by the letter of the standard, with or without port; an empty one is. */
export function isHost(text: string): boolean {
  return hostText.test(text);
}

/** Reports whether a text is a host name or an address as they are in use, with or without port. */
export function isPlainHost(text: string): boolean {
  return plainText.test(text);
}

/** A host in lower case, without its port and without the final dot of a full name. */
export function hostName(host: string): string {
  return host.toLowerCase().replace(/:\d*$/, "").replace(/\.$/, "");
}
