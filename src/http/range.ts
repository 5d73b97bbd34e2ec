/**
 * The `Range` header of requests for a part of a file.
 *
 * @module
 */

/**
 * Reads a header that asks for one range of bytes.
 *
 * @param header The header's value.
 * @param size The size of the whole.
 * @returns First and last byte; `undefined` where the whole is to be sent, since several ranges and other units may be
 * ignored.
 */
export function parseRange(header: string, size: number): [number, number] | "unsatisfiable" | undefined {
  const match = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header.replaceAll(" ", ""));
  if (match === null) return undefined;
  const [, first = "", last = ""] = match;
  if (first === "" && last === "") return undefined;
  if (first === "") {
    return Number(last) === 0 || size === 0 ? "unsatisfiable" : [Math.max(0, size - Number(last)), size - 1];
  }
  if (last !== "" && Number(last) < Number(first)) return undefined;
  if (Number(first) >= size) return "unsatisfiable";
  return [Number(first), last === "" ? size - 1 : Math.min(Number(last), size - 1)];
}
