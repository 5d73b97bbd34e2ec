/**
 * The types of path parameters that fw brings along, one row each, with the tests by which a segment of a path is matched.
 *
 * @module
 */

import { falseTexts, trueTexts } from "../base/convert.ts";
import type { ParamType } from "./param_type.ts";

/** What a value of a type becomes, as far as the functions care: `min(3)` bounds a number or the length of a text. */
export type ValueKind = "number" | "bigint" | "text" | "other";

/** A built-in type, with the kind of its values. */
export interface BuiltinType extends ParamType {
  /** Which functions may follow the type. */
  readonly kind: ValueKind;
}

/**
 * The built-in types. Where every value of one type is also a value of another, the first one's rank is lower, or
 * the wider type would take all of its requests. Where two only overlap, whole numbers come first: `1` is rather an
 * `int` than a `bool`.
 */
export const BUILTIN_TYPES: readonly BuiltinType[] = [
  { Name: "int8", kind: "number", Rank: 10, Test: signedTest("128", "127"), Convert: toNumber },
  { Name: "uint8", kind: "number", Rank: 12, Test: unsignedTest("255"), Convert: toNumber },
  { Name: "int16", kind: "number", Rank: 14, Test: signedTest("32768", "32767"), Convert: toNumber },
  { Name: "uint16", kind: "number", Rank: 16, Test: unsignedTest("65535"), Convert: toNumber },
  { Name: "int32", kind: "number", Rank: 18, Test: signedTest("2147483648", "2147483647"), Convert: toNumber },
  { Name: "uint32", kind: "number", Rank: 20, Test: unsignedTest("4294967295"), Convert: toNumber },
  { Name: "uint", kind: "number", Rank: 22, Test: unsignedTest("9007199254740991"), Convert: toNumber },
  {
    Name: "int",
    Aliases: ["number"],
    kind: "number",
    Rank: 24,
    Test: signedTest("9007199254740991", "9007199254740991"),
    Convert: toNumber,
  },
  {
    Name: "int64",
    Aliases: ["long"],
    kind: "bigint",
    Rank: 26,
    Test: signedTest("9223372036854775808", "9223372036854775807"),
    Convert: toBigInt,
  },
  { Name: "uint64", kind: "bigint", Rank: 28, Test: unsignedTest("18446744073709551615"), Convert: toBigInt },
  { Name: "uuid", Aliases: ["uuidv4"], kind: "text", Rank: 40, Test: isUUID },
  { Name: "date", kind: "other", Rank: 44, Test: isDate, Convert: toDate },
  { Name: "weekday", kind: "other", Rank: 48, Test: isWeekday, Convert: toWeekday },
  { Name: "bool", Aliases: ["boolean"], kind: "other", Rank: 52, Test: isBool, Convert: toBool },
  { Name: "alphabetical", kind: "text", Rank: 60, Test: isAlphabetical },
  { Name: "mail", Aliases: ["email"], kind: "text", Rank: 70, Test: isMail },
  { Name: "file", kind: "text", Rank: 80, Test: isFile },
  { Name: "string", kind: "text", Rank: 900, Test: isText },
  { Name: "path", kind: "text", Rank: 1000, Trailing: true, Test: isText },
];

/**
 * Reads an accepted whole number. Digit by digit: `Number` of a text that was just cut out of a path takes 60 ns more
 * (tests/bench/inject.ts).
 */
function toNumber(text: string): number {
  let value = 0;
  for (let i = 0; i < text.length; i++) {
    const digit = text.charCodeAt(i) - ZERO;
    // A sign; adding nothing turns `-0` into `0`.
    if (digit < 0 || digit > 9) return Number(text) + 0;
    value = value * 10 + digit;
  }
  return value;
}

/** Reads an accepted whole number of any size; most are short, and as a number read in half the time. */
function toBigInt(text: string): bigint {
  return text.length <= SAFE_DIGITS ? BigInt(toNumber(text)) : BigInt(text);
}

/** With so many digits every number is exact. */
const SAFE_DIGITS = 15;

const DASH = 0x2d;
const DOT = 0x2e;
const AT = 0x40;
const UNDERSCORE = 0x5f;

const BOOL_TEXTS = [...trueTexts, ...falseTexts];
const WEEKDAYS = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"];
const WEEKDAY_TEXTS = WEEKDAYS.flatMap((day) => [day, day.charAt(0).toUpperCase() + day.slice(1)]);
const isWeekdayNumber = unsignedTest("6");
const MONTH_DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** The longest address that mail servers carry, and the longest part before its `@`. */
const MAIL_LENGTH = 254;
const MAIL_LOCAL_LENGTH = 64;
const MAIL_LABEL_LENGTH = 63;
const MAIL_SIGNS = "!#$%&'*+-/=?^_`{|}~";

/** Any text but the empty one. */
function isText(_text: string, start: number, end: number): boolean {
  return end > start;
}

/** The twelve spellings of Go's `ParseBool`. */
function isBool(text: string, start: number, end: number): boolean {
  return isOneOf(BOOL_TEXTS, text, start, end);
}

/** Turns an accepted spelling into its value. */
function toBool(text: string): boolean {
  return trueTexts.includes(text);
}

/** ASCII letters and spaces. */
function isAlphabetical(text: string, start: number, end: number): boolean {
  for (let i = start; i < end; i++) {
    const code = text.charCodeAt(i);
    if (!isLetter(code) && code !== 0x20) return false;
  }
  return end > start;
}

/** ASCII letters, digits, `_`, `.` and `-`; not the two names that mean a directory. */
function isFile(text: string, start: number, end: number): boolean {
  let dots = 0;
  for (let i = start; i < end; i++) {
    const code = text.charCodeAt(i);
    if (code === DOT) dots++;
    else if (!isLetter(code) && !isDigit(code) && code !== UNDERSCORE && code !== DASH) return false;
  }
  // "." and ".." would walk out of the directory that a handler joins the value to.
  return end > start && (dots < end - start || dots > 2);
}

/** Hexadecimal digits in groups of 8-4-4-4-12, of any version. */
function isUUID(text: string, start: number, end: number): boolean {
  if (end - start !== 36) return false;
  for (let i = 0; i < 36; i++) {
    const code = text.charCodeAt(start + i);
    if (i === 8 || i === 13 || i === 18 || i === 23) {
      if (code !== DASH) return false;
    } else if (!isDigit(code) && ((code | 0x20) < 0x61 || (code | 0x20) > 0x66)) return false;
  }
  return true;
}

/** A mail address: dot-separated words, one `@`, a host name. It does not say whether the mailbox exists. */
function isMail(text: string, start: number, end: number): boolean {
  if (end - start > MAIL_LENGTH) return false;
  let at = start;
  while (at < end && text.charCodeAt(at) !== AT) at++;
  if (at === end || at - start > MAIL_LOCAL_LENGTH) return false;
  return isMailLocal(text, start, at) && isMailHost(text, at + 1, end);
}

/** A day of the calendar as `yyyy-mm-dd`. */
function isDate(text: string, start: number, end: number): boolean {
  if (end - start !== 10) return false;
  if (text.charCodeAt(start + 4) !== DASH || text.charCodeAt(start + 7) !== DASH) return false;
  const year = digits(text, start, start + 4);
  const month = digits(text, start + 5, start + 7);
  const day = digits(text, start + 8, end);
  if (year < 0 || month < 1 || month > 12 || day < 1) return false;
  const leap = month === 2 && year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return day <= (MONTH_DAYS[month - 1] ?? 0) + (leap ? 1 : 0);
}

/** Turns an accepted day into its midnight in UTC. */
function toDate(text: string): Date {
  return new Date(`${text}T00:00:00Z`);
}

/** A day's English name, capitalised or small, or its number from 0 for Sunday. */
function isWeekday(text: string, start: number, end: number): boolean {
  return isWeekdayNumber(text, start, end) || isOneOf(WEEKDAY_TEXTS, text, start, end);
}

/** Turns an accepted day into its number, 0 for Sunday. */
function toWeekday(text: string): number {
  const index = WEEKDAYS.indexOf(text.toLowerCase());
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

/** A character beyond ASCII that is neither a control nor a space. */
function isForeign(code: number): boolean {
  if (code <= 0xa0 || code === 0x1680 || code === 0x3000 || code === 0xfeff) return false;
  return code < 0x2000 || code > 0x206f;
}

/** The number that the digits write, or -1 when one of them is not a digit. */
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

const PLUS = 0x2b;
const MINUS = 0x2d;
const ZERO = 0x30;
const NINE = 0x39;

/** The shape of {@linkcode ParamType.Test}. */
export type RangeTest = (text: string, start: number, end: number) => boolean;

/**
 * Creates the test of an unsigned integer type.
 *
 * @param limit The largest value, in decimal digits.
 */
function unsignedTest(limit: string): RangeTest {
  return (text, start, end) => fits(text, start, end, limit);
}

/**
 * Creates the test of a signed integer type: one `-` or `+` may come before the digits.
 *
 * @param lowest The smallest value, in decimal digits and without its sign.
 * @param highest The largest value, in decimal digits.
 */
function signedTest(lowest: string, highest: string): RangeTest {
  return (text, start, end) => {
    const code = start < end ? text.charCodeAt(start) : ZERO;
    if (code === MINUS) return fits(text, start + 1, end, lowest);
    return fits(text, code === PLUS ? start + 1 : start, end, highest);
  };
}

/** Reports whether `text[start..end)` is one or more digits and, as a number, not above `limit`. */
function fits(text: string, start: number, end: number, limit: string): boolean {
  if (start >= end) return false;
  let first = start;
  while (first < end && text.charCodeAt(first) === ZERO) first++;
  const spare = limit.length - (end - first);
  if (spare < 0) return false;
  for (let i = first; i < end; i++) {
    const code = text.charCodeAt(i);
    if (code < ZERO || code > NINE) return false;
  }
  if (spare > 0) return true;
  // As many digits as the limit has: the first digit that differs decides.
  for (let i = 0; i < limit.length; i++) {
    const difference = text.charCodeAt(first + i) - limit.charCodeAt(i);
    if (difference !== 0) return difference < 0;
  }
  return true;
}
