/**
 * Tests of whole numbers that walk character codes: exact at any width, with no substring and no conversion.
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
