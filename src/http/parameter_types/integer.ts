/**
 * Validates and parses integers in paths by character code, exactly and at any size.
 *
 * @module
 */

const PLUS = 0x2b;
const MINUS = 0x2d;
const ZERO = 0x30;
const NINE = 0x39;

/** The signature of {@linkcode ParamType.Test}. */
export type RangeTest = (text: string, start: number, end: number) => boolean;

/**
 * Creates the test for an unsigned integer type.
 *
 * @param limit The maximum value, in decimal digits.
 */
export function unsignedTest(limit: string): RangeTest {
  return (text, start, end) => fits(text, start, end, limit);
}

/**
 * Creates the test for a signed integer type. The digits may be preceded by one `-` or `+`.
 *
 * @param lowest The minimum value, in decimal digits without its sign.
 * @param highest The maximum value, in decimal digits.
 */
export function signedTest(lowest: string, highest: string): RangeTest {
  return (text, start, end) => {
    const code = start < end ? text.charCodeAt(start) : ZERO;
    if (code === MINUS) return fits(text, start + 1, end, lowest);
    return fits(text, code === PLUS ? start + 1 : start, end, highest);
  };
}

/** Reports whether `text[start..end)` consists of one or more digits whose value does not exceed `limit`. */
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
  // The limit has the same number of digits, so the first digit that differs decides.
  for (let i = 0; i < limit.length; i++) {
    const difference = text.charCodeAt(first + i) - limit.charCodeAt(i);
    if (difference !== 0) return difference < 0;
  }
  return true;
}

/**
 * Parses an accepted integer digit by digit. Calling `Number` with a string that was just sliced from a path takes 60
 * ns longer (tests/bench/inject.ts).
 */
export function toNumber(text: string): number {
  let value = 0;
  for (let i = 0; i < text.length; i++) {
    const digit = text.charCodeAt(i) - ZERO;
    // The value has a sign. Adding 0 turns `-0` into `0`.
    if (digit < 0 || digit > 9) return Number(text) + 0;
    value = value * 10 + digit;
  }
  return value;
}

/**
 * Parses an accepted integer of any size. Most integers are short, and parsing them as a number first takes half the
 * time. Reading one of 32 bits from memory again takes half the time of `BigInt`, which calls the runtime.
 */
export function toBigInt(text: string): bigint {
  if (text.length > SAFE_DIGITS) return BigInt(text);
  const value = toNumber(text);
  if ((value | 0) !== value) return BigInt(value);
  halves[0] = value;
  halves[1] = value >> 31;
  return whole[0] as bigint;
}

const whole = new BigInt64Array(1);
const halves = new Int32Array(whole.buffer);

/** The number of digits up to which numbers are always exact. */
const SAFE_DIGITS = 15;
