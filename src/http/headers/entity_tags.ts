/**
 * Entity tag lists in `If-Match` and `If-None-Match` (RFC 9110, sections 8.8.3 and 13.1).
 *
 * @module
 */

import { isBlank, trimBlanks } from "./header.ts";

const [comma, quote] = [44, 34];

/**
 * Reports whether a list contains an entity tag, using weak comparison.
 *
 * `@std/http` is not used, because it splits the list with a regular expression that takes quadratic time on long runs
 * of blanks. A 60 KB header takes 5 seconds.
 *
 * @param list The header value, such as `W/"a", "b"`. An asterisk matches every tag.
 * @param tag The entity tag of the response.
 */
export function namesTag(list: string, tag: string | undefined): boolean {
  if (tag === undefined || tag === "") return false;
  const wanted = opaque(tag);
  return hasTag(list, (each) => opaque(each) === wanted);
}

/**
 * Reports whether a list contains an entity tag, using strong comparison. Weak tags never match.
 *
 * @param list The header value. An asterisk matches every tag.
 * @param tag The entity tag of the response.
 */
export function namesStrongTag(list: string, tag: string | undefined): boolean {
  if (trimBlanks(list) === "*") return true;
  if (tag === undefined || tag === "" || tag.startsWith("W/")) return false;
  return hasTag(list, (each) => each === tag);
}

/** Searches a list for a tag in a single pass. A quoted tag may contain commas. */
function hasTag(list: string, test: (tag: string) => boolean): boolean {
  if (trimBlanks(list) === "*") return true;
  for (let at = 0; at < list.length;) {
    const code = list.charCodeAt(at);
    if (code === comma || isBlank(code)) {
      at++;
      continue;
    }
    const start = at;
    at = endOfTag(list, start);
    if (test(trimBlanks(list.slice(start, at)))) return true;
  }
  return false;
}

/** Returns the index of the comma that ends a tag, ignoring commas inside quotes. */
function endOfTag(list: string, start: number): number {
  const open = list.startsWith("W/", start) ? start + 2 : start;
  const close = list.charCodeAt(open) === quote ? list.indexOf('"', open + 1) : open;
  const end = close < 0 ? -1 : list.indexOf(",", close);
  return end < 0 ? list.length : end;
}

function opaque(tag: string): string {
  return tag.startsWith("W/") ? tag.slice(2) : tag;
}
