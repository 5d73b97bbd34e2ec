/**
 * Parses JSON bodies, within a nesting depth.
 *
 * @module
 */

import { malformed } from "./body_errors.ts";

/** The maximum nesting depth of values. Recursive schemas make one nested call for each level. */
export const maxDepth = 400;

/**
 * Parses a JSON body.
 *
 * @param text The JSON text.
 * @param parse The parser. Defaults to `JSON.parse`.
 * @returns The parsed value.
 * @throws {HTTPError} With status 400 if the body is not JSON or is nested too deeply.
 */
export function parseJSON(text: string, parse: (text: string) => unknown = JSON.parse): unknown {
  let value: unknown;
  try {
    value = parse(text);
  } catch (error) {
    // The platform's message quotes the input, and that must not appear in the response.
    throw malformed("read the request body as JSON", "it is malformed", error);
  }
  if (isTooDeep(text, value)) {
    throw malformed("read the request body as JSON", `its values are nested more than ${maxDepth} levels deep`);
  }
  return value;
}

/** Reports whether a value that was parsed from a string exceeds the maximum nesting depth. */
export function isTooDeep(text: string, value: unknown): boolean {
  // Each level has an opening and a closing bracket, so short strings do not need to be checked.
  return text.length > 2 * maxDepth && isDeeper(value, maxDepth);
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (levels === 0) return true;
  if (Array.isArray(value)) return value.some((item) => isDeeper(item, levels - 1));
  for (const name in value) if (isDeeper((value as Record<string, unknown>)[name], levels - 1)) return true;
  return false;
}
