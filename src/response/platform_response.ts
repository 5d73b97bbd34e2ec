/**
 * The platform's classes `Response` and `ReadableStream`.
 *
 * Both globals are getters that take 40 to 50 ns per access (tests/bench/inject.ts), and several times as long in code
 * that is not optimized yet, so each is read only once. They are not read when this module is imported, because that
 * would load Deno's modules for streams and bodies.
 *
 * @module
 */

let kept: typeof Response | undefined = undefined;

/** Creates a response. */
export function newResponse(body: BodyInit | null | undefined, init?: ResponseInit): Response {
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

let keptStream: typeof ReadableStream | undefined = undefined;

/** Reports whether a body is a stream. */
export function isStream(body: unknown): body is ReadableStream<Uint8Array<ArrayBuffer>> {
  if (typeof body !== "object") return false;
  keptStream ??= ReadableStream;
  return body instanceof keptStream;
}
