/**
 * JSON as a client sends it: the same as the server's, in less code.
 *
 * @module
 */

/** Writes a value as JSON: a bigint is a number, a `Map` an object and a `Set` an array. */
export function requestJSON(value: unknown): string {
  // A string cannot be mistaken for a bigint: the mark is not known before. Node.js 20 has no JSON.rawJSON.
  const mark = `bigint${Math.random()}:`;
  const text = JSON.stringify(value, (_key, each) => {
    if (typeof each === "bigint") return mark + each;
    return each instanceof Map ? Object.fromEntries(each) : each instanceof Set ? [...each] : each;
  }) ?? "null";
  return text.replace(RegExp(`"${mark}(-?\\d+)"`, "g"), "$1");
}
