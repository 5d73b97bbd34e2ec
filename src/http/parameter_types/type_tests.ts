/**
 * Tests for the non-numeric parameter types. Each test reads every character at most twice, so the running time is
 * always linear.
 *
 * @module
 */

import { falseTexts, trueTexts, weekdays } from "../../base/text/convert.ts";
import { unsignedTest } from "./integer.ts";

const DASH = 0x2d;
const DOT = 0x2e;
const AT = 0x40;
const UNDERSCORE = 0x5f;

const BOOL_TEXTS = [...trueTexts, ...falseTexts];
const WEEKDAY_TEXTS = weekdays.flatMap((day) => [day, day.charAt(0).toUpperCase() + day.slice(1)]);
/** The regular expression equivalent to {@linkcode isWeekday}. */
export const WEEKDAY_PATTERN: string = `^(?:0*[0-6]|${WEEKDAY_TEXTS.join("|")})$`;
const isWeekdayNumber = unsignedTest("6");
const MONTH_DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** The maximum lengths of an email address and of its local part. */
const MAIL_LENGTH = 254;
const MAIL_LOCAL_LENGTH = 64;
const MAIL_LABEL_LENGTH = 63;
const MAIL_SIGNS = "!#$%&'*+-/=?^_`{|}~";

/** Accepts any non-empty string. */
export function isText(_text: string, start: number, end: number): boolean {
  return end > start;
}

/** Accepts the twelve spellings of Go's `ParseBool`. */
export function isBool(text: string, start: number, end: number): boolean {
  return isOneOf(BOOL_TEXTS, text, start, end);
}

/** Converts an accepted spelling to a boolean. */
export function toBool(text: string): boolean {
  return trueTexts.includes(text);
}

/** Accepts ASCII letters and spaces. */
export function isAlphabetical(text: string, start: number, end: number): boolean {
  for (let i = start; i < end; i++) {
    const code = text.charCodeAt(i);
    if (!isLetter(code) && code !== 0x20) return false;
  }
  return end > start;
}

/** Accepts ASCII letters, digits, `_`, `.` and `-`, except for the two directory names `.` and `..`. */
export function isFile(text: string, start: number, end: number): boolean {
  let dots = 0;
  for (let i = start; i < end; i++) {
    const code = text.charCodeAt(i);
    if (code === DOT) dots++;
    else if (!isLetter(code) && !isDigit(code) && code !== UNDERSCORE && code !== DASH) return false;
  }
  // If a handler appended "." or ".." to a directory, the path would leave that directory.
  return end > start && (dots < end - start || dots > 2);
}

/** Accepts hexadecimal digits in groups of 8-4-4-4-12, with any version. */
export function isUUID(text: string, start: number, end: number): boolean {
  if (end - start !== 36) return false;
  for (let i = 0; i < 36; i++) {
    const code = text.charCodeAt(start + i);
    if (i === 8 || i === 13 || i === 18 || i === 23) {
      if (code !== DASH) return false;
    } else if (!isDigit(code) && ((code | 0x20) < 0x61 || (code | 0x20) > 0x66)) return false;
  }
  return true;
}

/**
 * Accepts an email address: words separated by dots, one `@` and a host name. It does not check that the mailbox
 * exists.
 */
export function isMail(text: string, start: number, end: number): boolean {
  if (end - start > MAIL_LENGTH) return false;
  let at = start;
  while (at < end && text.charCodeAt(at) !== AT) at++;
  if (at === end || at - start > MAIL_LOCAL_LENGTH) return false;
  return isMailLocal(text, start, at) && isMailHost(text, at + 1, end);
}

/** Accepts a calendar date in the form `yyyy-mm-dd`. */
export function isDate(text: string, start: number, end: number): boolean {
  if (end - start !== 10) return false;
  if (text.charCodeAt(start + 4) !== DASH || text.charCodeAt(start + 7) !== DASH) return false;
  const year = digits(text, start, start + 4);
  const month = digits(text, start + 5, start + 7);
  const day = digits(text, start + 8, end);
  if (year < 0 || month < 1 || month > 12 || day < 1) return false;
  const leap = month === 2 && year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return day <= (MONTH_DAYS[month - 1] ?? 0) + (leap ? 1 : 0);
}

/** Converts an accepted date to midnight UTC. */
export function toDate(text: string): Date {
  return new Date(`${text}T00:00:00Z`);
}

/** Accepts an English weekday name, capitalized or in lower case, or its number, starting with 0 for Sunday. */
export function isWeekday(text: string, start: number, end: number): boolean {
  return isWeekdayNumber(text, start, end) || isOneOf(WEEKDAY_TEXTS, text, start, end);
}

/** Converts an accepted weekday to its number, starting with 0 for Sunday. */
export function toWeekday(text: string): number {
  const index = weekdays.indexOf(text.toLowerCase());
  return index < 0 ? Number(text) : index;
}

function isOneOf(list: readonly string[], text: string, start: number, end: number): boolean {
  for (const item of list) {
    if (item.length === end - start && text.startsWith(item, start)) return true;
  }
  return false;
}

function isMailLocal(text: string, start: number, end: number): boolean {
  let previous = DOT;
  for (let i = start; i < end; i++) {
    const code = text.charCodeAt(i);
    if (code === DOT ? previous === DOT : !isMailWord(code)) return false;
    previous = code;
  }
  return previous !== DOT;
}

function isMailHost(text: string, start: number, end: number): boolean {
  let label = start;
  for (let i = start; i <= end; i++) {
    const code = i < end ? text.charCodeAt(i) : DOT;
    if (code === DOT) {
      if (i === label || i - label > MAIL_LABEL_LENGTH) return false;
      if (text.charCodeAt(label) === DASH || text.charCodeAt(i - 1) === DASH) return false;
      label = i + 1;
    } else if (!isLetter(code) && !isDigit(code) && code !== DASH && !isForeign(code)) return false;
  }
  return true;
}

function isMailWord(code: number): boolean {
  return isLetter(code) || isDigit(code) || isForeign(code) ||
    (code < 0x80 && MAIL_SIGNS.includes(String.fromCharCode(code)));
}

/** Reports whether a character is outside ASCII and neither a control character nor a space. */
function isForeign(code: number): boolean {
  if (code <= 0xa0 || code === 0x1680 || code === 0x3000 || code === 0xfeff) return false;
  return code < 0x2000 || code > 0x206f;
}

/** Returns the number that the digits represent, or -1 if one of the characters is not a digit. */
function digits(text: string, start: number, end: number): number {
  let value = 0;
  for (let i = start; i < end; i++) {
    const code = text.charCodeAt(i);
    if (!isDigit(code)) return -1;
    value = value * 10 + code - 0x30;
  }
  return value;
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

function isLetter(code: number): boolean {
  const small = code | 0x20;
  return code < 0x80 && small >= 0x61 && small <= 0x7a;
}
