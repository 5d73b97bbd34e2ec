/**
 * Validation of durations, which are always in milliseconds.
 *
 * @module
 */

/**
 * Reports whether a value is a valid duration: a finite, non-negative number of milliseconds that a header can
 * represent.
 */
export function isDuration(value: number): boolean {
  return value >= 0 && value <= Number.MAX_SAFE_INTEGER;
}
