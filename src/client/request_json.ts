/**
 * Encodes JSON like the server, but with less code.
 *
 * @module
 */

/** Encodes a value as JSON. A bigint becomes a number, a `Map` an object, and a `Set` an array. */
export function requestJSON(value: unknown): string {
  // The marker is random, so that no user string can be mistaken for a bigint. `JSON.rawJSON` is not available in
  // Node.js 20.
  const mark = `bigint${Math.random()}:`;
  const text = JSON.stringify(value, (_key, each) => {
    if (typeof each === "bigint") return mark + each;
    return each instanceof Map ? Object.fromEntries(each) : each instanceof Set ? [...each] : each;
  }) ?? "null";
  return text.replace(RegExp(`"${mark}(-?\\d+)"`, "g"), "$1");
}
