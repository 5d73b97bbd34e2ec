/**
 * Lists of entity tags: `If-Match` and `If-None-Match` (RFC 9110, 8.8.3 and 13.1).
 *
 * @module
 */

import { isBlank, trimBlanks } from "./blanks.ts";

const [comma, quote] = [44, 34];

/**
 * Reports whether a list names an entity tag, weak or strong.
 *
 * Not by @std/http: it splits the list by an expression that takes time with the square of a run of blanks, 5 seconds
 * for a header of 60 KB.
 *
 * @param list The header, such as `W/"a", "b"`; a star names every tag.
 * @param tag The tag of what would be sent.
 */
export function namesTag(list: string, tag: string | undefined): boolean {
  if (tag === undefined || tag === "") return false;
  const wanted = opaque(tag);
  return hasTag(list, (each) => opaque(each) === wanted);
}

/**
 * Reports whether a list names an entity tag that vouches for every byte: weak tags, on either side, never do.
 *
 * @param list The header; a star names every tag.
 * @param tag The tag of what would be sent.
 */
export function namesStrongTag(list: string, tag: string | undefined): boolean {
  if (trimBlanks(list) === "*") return true;
  if (tag === undefined || tag === "" || tag.startsWith("W/")) return false;
  return hasTag(list, (each) => each === tag);
}

/** Looks for a tag in a list, in one walk; a tag may hold commas between its quotes. */
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

/** The index of the comma that ends a tag; one between its quotes does not. */
function endOfTag(list: string, start: number): number {
  const open = list.startsWith("W/", start) ? start + 2 : start;
  const close = list.charCodeAt(open) === quote ? list.indexOf('"', open + 1) : open;
  const end = close < 0 ? -1 : list.indexOf(",", close);
  return end < 0 ? list.length : end;
}

function opaque(tag: string): string {
  return tag.startsWith("W/") ? tag.slice(2) : tag;
}
