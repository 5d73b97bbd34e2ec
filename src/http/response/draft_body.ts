/**
 * Gives code that inspects or changes a response access to its body as bytes or as a stream.
 *
 * @module
 */

import { describe, ignoreRejection } from "../../base/async/callback.ts";
import { discard, type Draft, type DraftBody, isShut, lists, readHeader } from "./draft.ts";
import { isStream } from "./platform_response.ts";

/** A stream of bytes. */
type ByteStream = ReadableStream<Uint8Array<ArrayBuffer>>;

const encoder = new TextEncoder();
/**
 * The maximum number of chunks to read from a body that is already available, and the maximum number of microtask turns
 * to wait for each chunk.
 */
const [mostChunks, mostTurns] = [1024, 100];
/** Headers that are added to those of a returned `Response` instead of replacing them. */
const added: ReadonlySet<string> = new Set(["set-cookie", "vary"]);

/** Returns the bytes written so far, or `null` for a stream or a file whose bytes are not available yet. */
export function bodyBytes(draft: Draft): Uint8Array<ArrayBuffer> | null {
  const { body, response } = draft;
  if (isStream(body) || (response?.body ?? null) !== null) return null;
  return body instanceof Uint8Array ? body : encoder.encode(body === undefined ? "" : String(body));
}

/** Returns all headers of a draft as they would be sent. */
export function draftHeaders(draft: Draft): Headers {
  const headers = new Headers(draft.response?.headers);
  const own = new Set<string>();
  for (const [name, value] of draft.headers ?? []) {
    if (name === "vary" && lists(headers.get(name) ?? "", value)) continue;
    if (own.has(name) || added.has(name)) headers.append(name, value);
    else headers.set(name, value);
    own.add(name);
  }
  const type = readHeader(draft, "content-type");
  if (type !== "") headers.set("content-type", type);
  return headers;
}

/** Replaces the body. The content type and the other headers are kept, except for the length. */
export function replaceBody(draft: Draft, body: string | Uint8Array<ArrayBuffer> | ByteStream): void {
  if (isShut(draft)) return;
  nameType(draft);
  absorb(draft, true);
  if (isStream(draft.body) && draft.body !== body) discard(draft, draft.body);
  draft.response = undefined;
  draft.body = body;
  draft.headers = draft.headers?.filter(([name]) => name !== "content-length");
}

/** Passes the body through a stream transformation, regardless of the body's type. */
export function transformBody(draft: Draft, transform: (stream: ByteStream) => ByteStream): void {
  if (isShut(draft)) return;
  absorb(draft);
  if (draft.body === undefined) return;
  nameType(draft);
  const stream = isStream(draft.body) ? draft.body : streamOf(draft.body);
  const transformed: unknown = transform(stream);
  if (!isStream(transformed)) {
    ignoreRejection(transformed);
    throw new TypeError(`A transform of the response body returned ${describe(transformed)} instead of a stream`);
  }
  draft.body = transformed;
  draft.headers = draft.headers?.filter(([name]) => name !== "content-length");
}

/**
 * Reads the body up to a limit. A longer stream can still be sent without losing data.
 *
 * @param draft The response draft.
 * @param limit The maximum length, in bytes.
 * @param isPatient Whether to wait for a stream that is still being generated. If not, such a stream is neither changed
 * nor delayed. The body of a returned `Response` is always a stream, even if all of its bytes are available.
 * @returns The bytes, or `null` if the body is longer than the limit or not available yet.
 */
export async function readBody(draft: Draft, limit: number, isPatient = true): Promise<Uint8Array<ArrayBuffer> | null> {
  // Reading temporarily removes the body from the draft, so the draft must be writable.
  if (isShut(draft)) return null;
  absorb(draft);
  const stream = draft.body;
  if (!isStream(stream)) {
    const bytes = bodyBytes(draft);
    return bytes !== null && bytes.length <= limit ? bytes : null;
  }
  const reader = stream.getReader();
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  let next: ReturnType<typeof reader.read> | undefined;
  while (length <= limit && (isPatient || chunks.length < mostChunks)) {
    next = reader.read();
    const result = await (isPatient ? next : settledSoon(next));
    if (result === undefined) break;
    next = undefined;
    if (result.done) {
      const bytes = joinBytes(chunks);
      putBack(draft, stream, bytes);
      return bytes;
    }
    chunks.push(result.value);
    length += result.value.length;
  }
  putBack(draft, stream, continued(chunks, reader, next));
  return null;
}

/**
 * Replaces a stream with the data read from it, unless the draft has a new body in the meantime, such as an error page.
 */
function putBack(draft: Draft, stream: ByteStream, body: Uint8Array<ArrayBuffer> | ByteStream): void {
  if (draft.body === stream) draft.body = body;
  else if (isStream(body)) discard(draft, body);
}

/**
 * Moves the headers and the body of a returned `Response` to the draft so that the body can be read.
 *
 * @param draft The response draft.
 * @param takesEmpty Whether to move the headers even if there is no body.
 */
function absorb(draft: Draft, takesEmpty = false): void {
  const { response } = draft;
  // An upgrade is bound to its response object, and a body that was already read cannot be sent.
  if (response === undefined || response.status === 101 || response.bodyUsed) return;
  if (response.body === null && !takesEmpty) return;
  const own = draft.headers ?? [];
  const kept = [...response.headers].filter(([name]) =>
    name !== "content-type" && (added.has(name) || !own.some((pair) => pair[0] === name))
  );
  const vary = response.headers.get("vary") ?? "";
  draft.headers = [...kept, ...own.filter((pair) => pair[0] !== "vary" || !lists(vary, pair[1]))];
  if (draft.type === "") draft.type = response.headers.get("content-type") ?? "";
  draft.body = response.body ?? undefined;
  draft.response = undefined;
}

/**
 * Sets the content type before the body changes its form. Text that is converted to bytes would otherwise lose its
 * type.
 */
function nameType(draft: Draft): void {
  if (draft.type !== "" || draft.response !== undefined || draft.body === undefined) return;
  if (typeof draft.body === "string") draft.type = "text/plain;charset=UTF-8";
  else if (!(draft.body instanceof Uint8Array || isStream(draft.body))) draft.type = "application/json";
}

function streamOf(body: Exclude<DraftBody, ByteStream>): ByteStream {
  const bytes = body instanceof Uint8Array ? body : encoder.encode(String(body));
  return ReadableStream.from(bytes.length > 0 ? [bytes] : []);
}

/** Copies chunks of bytes into one array. */
export function joinBytes(chunks: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(chunks.reduce((length, chunk) => length + chunk.length, 0));
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
}

/** Waits for a promise only if it is already settled or will be after a few microtasks. */
async function settledSoon<T>(promise: Promise<T>): Promise<T | undefined> {
  let isSettled = false;
  const settle = () => void (isSettled = true);
  promise.then(settle, settle);
  for (let turn = 0; turn < mostTurns && !isSettled; turn++) await undefined;
  return isSettled ? await promise : undefined;
}

/**
 * Returns a stream of the data that has been read, followed by the rest. A pending read comes first, if there is one.
 */
export function continued(
  chunks: Uint8Array<ArrayBuffer>[],
  reader: ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>,
  begun?: Promise<ReadableStreamReadResult<Uint8Array<ArrayBuffer>>>,
): ByteStream {
  let next = begun;
  return new ReadableStream({
    async pull(controller) {
      const chunk = chunks.shift();
      if (chunk !== undefined) return controller.enqueue(chunk);
      const reading = next ?? reader.read();
      next = undefined;
      const { done, value } = await reading;
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: (reason) => reader.cancel(reason),
  });
}
