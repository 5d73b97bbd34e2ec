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
  /** The parameters before the weight, such as `level=1`. */
  readonly parameters: readonly string[];
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
  let highest: Fit = none;
  for (const media of offered) {
    const fit = fitOf(media, ranges);
    if (fit.weight > highest.weight || isCloser(fit, highest) && isVariant(media, best)) {
      best = media;
      highest = fit;
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
  const ranges = readRanges(header);
  if (ranges.length === 0) return offered[0];
  const best = chooseType(header, offered);
  return fitOf(best, ranges).weight > 0 ? best : undefined;
}

/**
 * Reports whether the client prefers a media type to another one. If both have the same weight, a type that the header
 * names is preferred to one that only matches a wildcard.
 *
 * @param header The `Accept` header, or an empty string if it is missing.
 * @param wanted The type.
 * @param other The type to compare it with.
 */
export function prefersType(header: string, wanted: string, other: string): boolean {
  const ranges = readRanges(header);
  const [fit, otherFit] = [fitOf(wanted, ranges), fitOf(other, ranges)];
  return fit.weight > otherFit.weight || isCloser(fit, otherFit);
}

/** The weight of a media type, and how specific the matching range is. */
interface Fit {
  readonly weight: number;
  readonly closeness: number;
}

const none: Fit = { weight: 0, closeness: 0 };

/** Returns the weight of the most specific range that matches a type, or 0 if no range matches. */
function fitOf(media: string, ranges: readonly Range[]): Fit {
  const { type, subtype, parameters } = readMedia(media);
  let fit = none;
  for (const range of ranges) {
    if ((range.type !== "*" && range.type !== type) || (range.subtype !== "*" && range.subtype !== subtype)) continue;
    const closeness = closenessOf(range, parameters);
    if (closeness > fit.closeness) fit = { weight: range.weight, closeness };
  }
  return fit;
}

/** Reports whether two types differ only in their parameters. */
function isVariant(media: string, other: string): boolean {
  const [one, two] = [readMedia(media), readMedia(other)];
  return one.type === two.type && one.subtype === two.subtype;
}

function isCloser(fit: Fit, other: Fit): boolean {
  return fit.weight === other.weight && fit.weight > 0 && fit.closeness > other.closeness;
}

/**
 * Returns how specific a matching range is. If its parameters differ from those of the type, it is still better than a
 * wildcard, because many clients add parameters that servers do not know.
 */
function closenessOf(range: Range, parameters: readonly string[]): number {
  if (range.type === "*") return 1;
  if (range.subtype === "*") return 2;
  if (!range.parameters.every((each) => parameters.includes(each))) return 3;
  return 4 + range.parameters.length;
}

function readRanges(header: string): Range[] {
  return header.split(",", most).filter((item) => item.trim() !== "").map((item) => {
    const media = readMedia(item);
    const at = media.parameters.findIndex((parameter) => parameter.startsWith("q="));
    const [, said] = /^q=([01](?:\.\d{0,3})?|\.\d{1,3})$/.exec(media.parameters[at] ?? "") ?? [];
    const weight = said === undefined ? 1 : Math.min(Number(said), 1);
    return { ...media, parameters: at === -1 ? media.parameters : media.parameters.slice(0, at), weight };
  });
}

function readMedia(text: string): Omit<Range, "weight"> {
  const [media = "", ...rest] = text.toLowerCase().split(";", 8);
  // Some clients send "*" instead of "*/*".
  const [type = "", subtype = type === "*" ? "*" : ""] = media.trim().split("/", 2);
  return { type, subtype, parameters: rest.map(readParameter) };
}

/** Returns a parameter as `name=value`, without the blanks and quotes around its parts. */
function readParameter(text: string): string {
  const [name = "", value = ""] = text.split("=", 2);
  return `${name.trim()}=${value.trim().replaceAll('"', "")}`;
}
