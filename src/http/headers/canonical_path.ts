/**
 * The canonical form of a path, used to select routes and to evaluate guards.
 *
 * Escape sequences are decoded, dot segments are resolved (RFC 3986, section 5.2.4) and repeated slashes are collapsed,
 * so that two spellings of the same path cannot match different routes. An escaped slash is kept distinct from the
 * slashes between segments; see `src/base/text/inner_slash.ts`.
 *
 * @module
 */

import { innerSlash, restoreSlashes } from "../../base/text/path_value.ts";

const slash = 47;
const dotSegment = /(?:^|\/)\.\.?(?:\/|$)/;
const innerDots = /(?:^|[/\udc2f])\.\.?(?:[/\udc2f]|$)/u;
/**
 * Matches the characters that must be escaped: all except the slash and those allowed in a segment (RFC 3986, section
 * 3.3).
 */
const unsafe = /[^A-Za-z0-9\-._~!$&'()*+,;=:@/]/gu;

/**
 * Resolves the dot segments of a decoded path. A path cannot go above the root.
 *
 * @param path The path, starting with a slash. Repeated slashes are preserved.
 * @returns The path without dot segments. It ends with a slash if the last segment was a dot segment.
 */
export function resolveDots(path: string): string {
  return dotSegment.test(path) ? walkDots(path.split("/")).join("/") : path;
}

/**
 * Resolves dot segments between escaped slashes within a single segment. `a%2F..%2Fb` is data, and a handler that
 * appends it to a folder must not leave that folder.
 *
 * @param path The decoded path.
 * @returns The resolved path. No segment becomes empty.
 */
export function resolveInnerDots(path: string): string {
  if (!path.includes(innerSlash) || !innerDots.test(path)) return path;
  return path.split("/").map(resolveInSegment).join("/");
}

/** Replaces each run of slashes with a single slash. */
export function collapseSlashes(path: string): string {
  return path.includes("//") ? path.replace(/\/{2,}/g, "/") : path;
}

/**
 * Converts an index in a collapsed path to an index in the original path.
 *
 * @param path The path with its repeated slashes.
 * @param index The index in the collapsed path.
 * @returns The index in `path`. For a run of slashes, the index of the first one.
 */
export function uncollapsedIndex(path: string, index: number): number {
  let at = 0;
  for (let left = index; left > 0 && at < path.length; left--) at = afterCharacter(path, at);
  return at;
}

/**
 * Escapes a decoded path for a URL.
 *
 * @param path The decoded path. Slashes that were escaped are escaped again.
 * @returns The URL-encoded path.
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

/** Returns the remaining segments. The first one is the text before the first slash. */
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
    // The result is a folder, since "/a/.." is equivalent to "/a/../".
    if (at === segments.length - 1) kept.push("");
  }
  return kept;
}

function resolveInSegment(segment: string): string {
  if (!segment.includes(innerSlash) || !innerDots.test(segment)) return segment;
  const parts = restoreSlashes(segment).split("/");
  // The first part follows the start of the segment, and dots must not go beyond it.
  const kept = walkDots(["", ...parts]).slice(1);
  return kept.join("/").replaceAll("/", innerSlash) || innerSlash;
}
