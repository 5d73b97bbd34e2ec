/**
 * Durations, which are milliseconds everywhere in fw.
 *
 * @module
 */

/** Reports whether a value is a duration: a finite number of milliseconds from 0 up that a header can hold. */
export function isDuration(value: number): boolean {
  return value >= 0 && value <= Number.MAX_SAFE_INTEGER;
}
