/**
 * Media type negotiation (RFC 9110, section 12.5.1).
 *
 * @module
 */

/** The maximum number of media ranges to read from a header. Browsers send about eight. */
const most = 32;

interface Range {
  readonly type: string;
  readonly subtype: string;
  readonly weight: number;
}

/**
 * Chooses the media type that the client prefers.
 *
 * @param header The `Accept` header, or an empty string if it is missing.
 * @param offered The types the server can send, in order of preference. The order breaks ties.
 * @returns The chosen type. If the client has no preference or accepts none of the types, the first one.
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
 * @param header The `Accept` header, or an empty string if it is missing, which accepts everything.
 * @param offered The types the server can send, in order of preference.
 * @returns The chosen type, or `undefined` if the client accepts none of the types.
 */
export function acceptedType(header: string, offered: readonly string[]): string | undefined {
  if (header === "") return offered[0];
  const best = chooseType(header, offered);
  return weightOf(best, readRanges(header)) > 0 ? best : undefined;
}

/** Returns the weight of the most specific range that matches the type, or 0 if no range matches. */
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
