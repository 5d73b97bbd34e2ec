/**
 * Dates as HTTP writes them (RFC 9110, 5.6.7).
 *
 * @module
 */

const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/**
 * The form of today, and the two that servers had to accept ever since: `Sun, 06 Nov 1994 08:49:37 GMT` and its elders.
 */
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
