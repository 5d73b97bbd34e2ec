/**
 * Converts the examples of request and response bodies.
 *
 * @module
 */

/** Returns named examples in the form of an OpenAPI media type, or an empty object if there are none. */
export function examplesOf(examples: Readonly<Record<string, unknown>> | undefined): Record<string, unknown> {
  if (examples === undefined || Object.keys(examples).length === 0) return {};
  return { examples: Object.fromEntries(Object.entries(examples).map(([name, value]) => [name, { value }])) };
}
