/**
 * HTTP dates (RFC 9110, section 5.6.7).
 *
 * @module
 */

const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** The current format, `Sun, 06 Nov 1994 08:49:37 GMT`, and the two obsolete formats that servers must still accept. */
const forms: readonly RegExp[] = [
  /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), (?<day>\d{2}) (?<month>[A-Z][a-z]{2}) (?<year>\d{4}) (?<time>\d{2}:\d{2}:\d{2}) GMT$/,
  /^(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day, (?<day>\d{2})-(?<month>[A-Z][a-z]{2})-(?<year>\d{2}) (?<time>\d{2}:\d{2}:\d{2}) GMT$/,
  /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) (?<month>[A-Z][a-z]{2}) (?<day>[ \d]\d) (?<time>\d{2}:\d{2}:\d{2}) (?<year>\d{4})$/,
];

/**
 * Parses an HTTP date. `Date.parse` is not used because it also accepts `9999` and `1 1`.
 *
 * @param text The date string.
 * @param now The current time, which determines the century of a two-digit year.
 * @returns The milliseconds since 1970, or `undefined` if the string is not a valid HTTP date or the day does not
 * exist.
 */
export function parseDate(text: string, now: number = Date.now()): number | undefined {
  for (const form of forms) {
    const parts = form.exec(text)?.groups;
    if (parts !== undefined) return momentOf(parts, now);
  }
  return undefined;
}

/**
 * Rounds a date down to whole seconds, the precision of HTTP dates.
 *
 * @param date The date.
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
  // The last minute of a day may have a leap second.
  if (month < 0 || hour > 23 || minute > 59 || second > 60) return undefined;
  const date = new Date(Date.UTC(year, month, day, hour, minute, Math.min(second, 59)));
  if (year < 100) date.setUTCFullYear(year);
  return date.getUTCDate() === day ? date.getTime() : undefined;
}

/**
 * Returns the year. A two-digit year that appears to be more than 50 years in the future belongs to the previous
 * century.
 */
function yearOf(text: string, now: number): number {
  if (text.length === 4) return Number(text);
  const present = new Date(now).getUTCFullYear();
  const year = Math.floor(present / 100) * 100 + Number(text);
  return year > present + 50 ? year - 100 : year;
}
