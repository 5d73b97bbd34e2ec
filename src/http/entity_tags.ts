/**
 * Lists of entity tags: `If-None-Match`.
 *
 * @module
 */

/**
 * Reports whether a list names an entity tag, weak or strong.
 *
 * Not by @std/http: it splits the list by an expression that takes time with the square of a run of blanks, 5 seconds for
 * a header of 60 KB.
 *
 * @param list The header, such as `W/"a", "b"`; a star names every tag.
 * @param tag The tag of what would be sent.
 */
export function namesTag(list: string, tag: string | undefined): boolean {
  if (tag === undefined || tag === "") return false;
  const wanted = opaque(tag);
  for (let at = 0; at < list.length;) {
    const comma = list.indexOf(",", at);
    const end = comma < 0 ? list.length : comma;
    const each = list.slice(at, end).trim();
    if (each === "*" || opaque(each) === wanted) return true;
    at = end + 1;
  }
  return false;
}

function opaque(tag: string): string {
  return tag.startsWith("W/") ? tag.slice(2) : tag;
}
