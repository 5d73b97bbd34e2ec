/**
 * Omits undefined members from the objects of a document.
 *
 * @module
 */

/** Returns a copy of an object without its undefined members. */
export function withoutAbsent(object: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined));
}
