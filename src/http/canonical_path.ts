/**
 * The canonical form of a path, by which routes are selected and guards are decided.
 *
 * Escapes are decoded, dot segments are resolved (RFC 3986, 5.2.4) and repeated slashes are collapsed, so that two
 * spellings of one path cannot take two routes. An escaped slash stays apart from the slashes between segments: see
 * `src/base/inner_slash.ts`.
 *
 * @module
 */

import { innerSlash, restoreSlashes } from "../base/inner_slash.ts";

const slash = 47;
const dotSegment = /(?:^|\/)\.\.?(?:\/|$)/;
const innerDots = /(?:^|[/\udc2f])\.\.?(?:[/\udc2f]|$)/u;
/** The characters that a segment carries unescaped (RFC 3986, 3.3), and the slash; everything else is matched. */
const unsafe = /[^A-Za-z0-9\-._~!$&'()*+,;=:@/]/gu;

/**
 * Resolves the dot segments of a decoded path. Dots that climb above the root lead to the root.
 *
 * @param path The path, from its first slash; repeated slashes stay.
 * @returns The path without dot segments; it ends with a slash if the last segment was one.
 */
export function resolveDots(path: string): string {
  return dotSegment.test(path) ? walkDots(path.split("/")).join("/") : path;
}

/**
 * Resolves the dots that stand behind escaped slashes, each within its own segment: `a%2F..%2Fb` is data, and a handler
 * that joins it to a folder must not be led out of that folder.
 *
 * @param path The decoded path.
 * @returns The path; no segment becomes empty.
 */
export function resolveInnerDots(path: string): string {
  if (!path.includes(innerSlash) || !innerDots.test(path)) return path;
  return path.split("/").map(resolveInSegment).join("/");
}

/** Turns every run of slashes into one. */
export function collapseSlashes(path: string): string {
  return path.includes("//") ? path.replace(/\/{2,}/g, "/") : path;
}

/**
 * Finds where a character of a collapsed path stands in the path before.
 *
 * @param path The path with its repeated slashes.
 * @param index The index in the collapsed path.
 * @returns The index in `path`: of a run of slashes that of the first one.
 */
export function uncollapsedIndex(path: string, index: number): number {
  let at = 0;
  for (let left = index; left > 0 && at < path.length; left--) at = afterCharacter(path, at);
  return at;
}

/**
 * Escapes a decoded path for a URL.
 *
 * @param path The path; slashes that were escaped are escaped again.
 * @returns The path as a URL carries it.
 */
export function encodePath(path: string): string {
  return path.replace(unsafe, (char) => char === innerSlash ? "%2F" : encodeURIComponent(char.toWellFormed()));
}

function afterCharacter(path: string, at: number): number {
  if (path.charCodeAt(at) !== slash) return at + 1;
  let next = at + 1;
  while (path.charCodeAt(next) === slash) next++;
  return next;
}

/** The segments that are left; the first is what stands before the first slash. */
function walkDots(segments: readonly string[]): string[] {
  const kept: string[] = [segments[0] ?? ""];
  for (let at = 1; at < segments.length; at++) {
    const segment = segments[at] as string;
    const isUp = segment === "..";
    if (!isUp && segment !== ".") {
      kept.push(segment);
      continue;
    }
    if (isUp && kept.length > 1) kept.pop();
    // A folder: "/a/.." is "/", as "/a/../" is.
    if (at === segments.length - 1) kept.push("");
  }
  return kept;
}

function resolveInSegment(segment: string): string {
  if (!segment.includes(innerSlash) || !innerDots.test(segment)) return segment;
  const parts = restoreSlashes(segment).split("/");
  // In front of the first part stands the segment's own border, which no dots may cross.
  const kept = walkDots(["", ...parts]).slice(1);
  return kept.join("/").replaceAll("/", innerSlash) || innerSlash;
}
