/**
 * Encodes JSON like the server does, in less code.
 *
 * @module
 */

/** Encodes a value as JSON. A bigint becomes a number, a `Map` an object, and a `Set` an array. */
export function requestJSON(value: unknown): string {
  // The marker is random, so no string can be mistaken for a bigint. Node.js 20 lacks JSON.rawJSON.
  const mark = `bigint${Math.random()}:`;
  const text = JSON.stringify(value, (_key, each) => {
    if (typeof each === "bigint") return mark + each;
    return each instanceof Map ? Object.fromEntries(each) : each instanceof Set ? [...each] : each;
  }) ?? "null";
  return text.replace(RegExp(`"${mark}(-?\\d+)"`, "g"), "$1");
}
