/**
 * The platform's `Response` class.
 *
 * The global `Response` is a getter that takes 40 to 50 ns per access (tests/bench/inject.ts), so it is read only once.
 * It is not read when this module is imported, because that would load Deno's modules for streams and bodies.
 *
 * @module
 */

let kept: typeof Response | undefined = undefined;

/** Creates a response. */
export function newResponse(body: BodyInit | undefined, init?: ResponseInit): Response {
  kept ??= Response;
  return new kept(body, init);
}

/** Creates a JSON response. */
export function newJSONResponse(value: unknown): Response {
  kept ??= Response;
  return kept.json(value);
}

/** Reports whether a value is a response. */
export function isResponse(value: unknown): value is Response {
  kept ??= Response;
  return value instanceof kept;
}
