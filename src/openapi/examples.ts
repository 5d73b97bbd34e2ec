/**
 * Examples of bodies.
 *
 * @module
 */

/** Named examples as a media type holds them; nothing if there are none. */
export function examplesOf(examples: Readonly<Record<string, unknown>> | undefined): Record<string, unknown> {
  if (examples === undefined || Object.keys(examples).length === 0) return {};
  return { examples: Object.fromEntries(Object.entries(examples).map(([name, value]) => [name, { value }])) };
}
