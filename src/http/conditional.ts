/**
 * What conditional and partial requests are written with: entity tags, dates and ranges (RFC 9110, 8.8, 5.6.7, 14).
 *
 * @module
 */

import { isBlank, trimBlanks } from "./header.ts";

const [comma, quote] = [44, 34];

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

const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** The form of today, and the two that servers had to accept ever since: `Sun, 06 Nov 1994 08:49:37 GMT` and its elders. */
const forms: readonly RegExp[] = [
  /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), (?<day>\d{2}) (?<month>[A-Z][a-z]{2}) (?<year>\d{4}) (?<time>\d{2}:\d{2}:\d{2}) GMT$/,
  /^(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day, (?<day>\d{2})-(?<month>[A-Z][a-z]{2})-(?<year>\d{2}) (?<time>\d{2}:\d{2}:\d{2}) GMT$/,
  /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) (?<month>[A-Z][a-z]{2}) (?<day>[ \d]\d) (?<time>\d{2}:\d{2}:\d{2}) (?<year>\d{4})$/,
];

/**
 * Reads a date. Not by `Date.parse`, which takes `9999` or `1 1` for dates too.
 *
 * @param text The date.
 * @param now The present, to tell the century of a year of two digits.
 * @returns The milliseconds since 1970; `undefined` when it is not such a date, or a day that never was.
 */
export function parseDate(text: string, now: number = Date.now()): number | undefined {
  for (const form of forms) {
    const parts = form.exec(text)?.groups;
    if (parts !== undefined) return momentOf(parts, now);
  }
  return undefined;
}

/**
 * Returns the moment in whole seconds, as a header tells it.
 *
 * @param date The moment.
 * @returns The milliseconds since 1970, a multiple of 1000.
 */
export function wholeSeconds(date: Date): number {
  return Math.floor(date.getTime() / 1000) * 1000;
}

function momentOf(parts: Record<string, string>, now: number): number | undefined {
  const month = months.indexOf(parts["month"] ?? "");
  const day = Number(parts["day"]);
  const year = yearOf(parts["year"] ?? "", now);
  const [hour = 0, minute = 0, second = 0] = (parts["time"] ?? "").split(":").map(Number);
  // A minute may have a 61st second.
  if (month < 0 || hour > 23 || minute > 59 || second > 60) return undefined;
  const date = new Date(Date.UTC(year, month, day, hour, minute, Math.min(second, 59)));
  if (year < 100) date.setUTCFullYear(year);
  return date.getUTCDate() === day ? date.getTime() : undefined;
}

/** The year; one of two digits that seems to lie more than 50 years ahead is of the century before. */
function yearOf(text: string, now: number): number {
  if (text.length === 4) return Number(text);
  const present = new Date(now).getUTCFullYear();
  const year = Math.floor(present / 100) * 100 + Number(text);
  return year > present + 50 ? year - 100 : year;
}

/** A part: its first and its last byte. */
export type ByteRange = readonly [first: number, last: number];

/** The most parts of one response: more of them are a burden that no player or resumed download needs. */
const most = 100;

/**
 * Reads a header that asks for ranges of bytes.
 *
 * @param header The header's value.
 * @param size The size of the whole.
 * @returns The parts, in the order they were asked for; `undefined` where the whole is to be sent, because the header is
 * empty or malformed, of another unit, or asks for more than the whole.
 */
export function parseRanges(header: string, size: number): readonly ByteRange[] | "unsatisfiable" | undefined {
  const equals = header.indexOf("=");
  if (equals < 0 || header.slice(0, equals).toLowerCase() !== "bytes") return undefined;
  const specs = header.slice(equals + 1).split(",", most + 1).map(trimBlanks).filter((spec) => spec !== "");
  if (specs.length === 0 || specs.length > most) return undefined;
  const ranges: ByteRange[] = [];
  let total = 0;
  for (const spec of specs) {
    const range = readSpec(spec, size);
    if (range === undefined) return undefined;
    if (range === "unsatisfiable") continue;
    ranges.push(range);
    total += range[1] - range[0] + 1;
  }
  if (ranges.length === 0) return "unsatisfiable";
  // Parts that overlap may come to many times the whole.
  return total > size ? undefined : ranges;
}

/** Reads `0-4`, `5-` or `-3`. */
function readSpec(spec: string, size: number): ByteRange | "unsatisfiable" | undefined {
  const match = /^(\d*)-(\d*)$/.exec(spec);
  const [, first = "", last = ""] = match ?? [];
  if (first === "" && last === "") return undefined;
  if (first === "") {
    return Number(last) === 0 || size === 0 ? "unsatisfiable" : [Math.max(0, size - Number(last)), size - 1];
  }
  if (last !== "" && Number(last) < Number(first)) return undefined;
  if (Number(first) >= size) return "unsatisfiable";
  return [Number(first), last === "" ? size - 1 : Math.min(Number(last), size - 1)];
}
