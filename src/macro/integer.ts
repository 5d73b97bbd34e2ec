/**
 * Whole numbers in paths, tested and read by walking their character codes: exact at any width.
 *
 * @module
 */

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
export function unsignedTest(limit: string): RangeTest {
  return (text, start, end) => fits(text, start, end, limit);
}

/**
 * Creates the test of a signed integer type: one `-` or `+` may come before the digits.
 *
 * @param lowest The smallest value, in decimal digits and without its sign.
 * @param highest The largest value, in decimal digits.
 */
export function signedTest(lowest: string, highest: string): RangeTest {
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

/**
 * Reads an accepted whole number. Digit by digit: `Number` of a text that was just cut out of a path takes 60 ns more
 * (tests/bench/inject.ts).
 */
export function toNumber(text: string): number {
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
export function toBigInt(text: string): bigint {
  return text.length <= SAFE_DIGITS ? BigInt(toNumber(text)) : BigInt(text);
}

/** With so many digits every number is exact. */
const SAFE_DIGITS = 15;
