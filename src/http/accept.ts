/**
 * Which media type a client wants most (RFC 9110, 12.5.1).
 *
 * @module
 */

/** The most ranges that are read of a header; a browser names eight. */
const most = 32;

interface Range {
  readonly type: string;
  readonly subtype: string;
  readonly weight: number;
}

/**
 * Chooses a media type.
 *
 * @param header The `Accept` header; empty if there is none.
 * @param offered What the server can send, the best first: it decides between types of one weight.
 * @returns The type; the first one where the client says nothing or accepts none of them.
 */
export function chooseType(header: string, offered: readonly string[]): string {
  const ranges = readRanges(header);
  let best = offered[0] ?? "";
  let highest = 0;
  for (const media of offered) {
    const weight = weightOf(media, ranges);
    if (weight > highest) {
      best = media;
      highest = weight;
    }
  }
  return best;
}

/**
 * Chooses a media type that the client accepts.
 *
 * @param header The `Accept` header; empty if there is none, which accepts everything.
 * @param offered The types that the server can send, the best first.
 * @returns The type, or `undefined` if the client accepts none of them.
 */
export function acceptedType(header: string, offered: readonly string[]): string | undefined {
  if (header === "") return offered[0];
  const best = chooseType(header, offered);
  return weightOf(best, readRanges(header)) > 0 ? best : undefined;
}

/** The weight of the most specific range that a type fits; 0 where it fits none. */
function weightOf(media: string, ranges: readonly Range[]): number {
  const [type, subtype] = media.split("/", 2);
  let closest = 0;
  let weight = 0;
  for (const range of ranges) {
    if ((range.type !== "*" && range.type !== type) || (range.subtype !== "*" && range.subtype !== subtype)) continue;
    const closeness = range.type === "*" ? 1 : range.subtype === "*" ? 2 : 3;
    if (closeness <= closest) continue;
    closest = closeness;
    weight = range.weight;
  }
  return weight;
}

function readRanges(header: string): Range[] {
  return header.split(",", most).map((item) => {
    const [media = "", ...parameters] = item.split(";", 8);
    const [type = "", subtype = ""] = media.trim().toLowerCase().split("/", 2);
    const said = parameters.map((parameter) => /^\s*q\s*=\s*([01](?:\.\d{0,3})?)\s*$/i.exec(parameter)?.[1]);
    const weight = said.find((text) => text !== undefined);
    return { type, subtype, weight: weight === undefined ? 1 : Math.min(Number(weight), 1) };
  });
}
