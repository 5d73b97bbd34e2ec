/**
 * Objects of a document, whose members are left out rather than `undefined`.
 *
 * @module
 */

/** An object without the members that are `undefined`. */
export function withoutAbsent(object: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined));
}
