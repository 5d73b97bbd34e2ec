/**
 * The platform's class of responses.
 *
 * `Response` is a getter of the global object, which costs 40 to 50 ns per use (tests/bench/inject.ts): it is asked
 * for once. Not at the import, since it loads what streams and bodies need.
 *
 * @module
 */

let kept: typeof Response | undefined = undefined;

/** Creates a response. */
export function newResponse(body: BodyInit | undefined, init?: ResponseInit): Response {
  kept ??= Response;
  return new kept(body, init);
}

/** Creates a response of JSON. */
export function newJSONResponse(value: unknown): Response {
  kept ??= Response;
  return kept.json(value);
}

/** Reports whether a value is a response. */
export function isResponse(value: unknown): value is Response {
  kept ??= Response;
  return value instanceof kept;
}
