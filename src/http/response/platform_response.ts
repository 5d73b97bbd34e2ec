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

/** The property in which Deno stores the parts of a response, or `null` if there is none. */
let keptParts: symbol | null | undefined = undefined;

function partsOf(response: Response): { readonly bodyDecoded?: boolean } | undefined {
  keptParts ??= Object.getOwnPropertySymbols(response).find(({ description }) => description === "response") ?? null;
  return keptParts === null ? undefined : (response as unknown as Record<symbol, { bodyDecoded?: boolean }>)[keptParts];
}

/**
 * Removes the `Content-Encoding` and the length of a response of `fetch()` that the platform has decompressed. The
 * platform ignores these headers if it sends the response itself, but not if it sends one with the same body.
 */
export function unpacked(response: Response): Response {
  const { type, body, headers } = response;
  if (type !== "basic" || !isDecodable(headers)) return response;
  // Bodies are not decompressed if the request accepted no coding.
  return body === null || partsOf(response)?.bodyDecoded !== false ? asPlain(response) : response;
}

/** Reports whether the headers describe a body that `fetch()` decompresses. It does not decompress parts of a body. */
export function isDecodable(headers: Headers): boolean {
  const coding = headers.get("content-encoding")?.trim().toLowerCase();
  return (coding === "gzip" || coding === "br") && !headers.has("content-range");
}

/** Returns a response with the same body and without the headers of its compressed form. */
export function asPlain(response: Response): Response {
  const copy = newResponse(response.body, response);
  const tag = copy.headers.get("etag");
  for (const name of ["content-encoding", "content-length"]) copy.headers.delete(name);
  // The tag identifies the bytes of the compressed form.
  if (tag?.startsWith('"')) copy.headers.set("etag", `W/${tag}`);
  return copy;
}
