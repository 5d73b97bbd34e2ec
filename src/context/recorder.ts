/**
 * The response within reach of middleware, before it is sent.
 *
 * @module
 */

import { type Draft, type DraftBody, readHeader, resetBody } from "../response/draft.ts";
import { beforeSending, type Ending } from "./end_tasks.ts";

/** What a recorder is created from. */
interface Recorded extends Ending {
  readonly draft: Draft;
}

/**
 * The response of a request as it stands, for middleware that looks at it or changes it. Requests whose middleware does
 * not ask for it pay nothing.
 *
 * After `await ctx.Next()` it shows what the handlers have written. A function given to {@linkcode Recorder.OnSend} runs
 * later, when the error page, if there is one, has been written too.
 *
 * @example A header that depends on the body
 * ```ts
 * import * as fw from "@fw/web";
 *
 * const app = fw.New();
 * app.UseRouter((ctx) => {
 *   ctx.Recorder().OnSend((recorder) => ctx.Header("x-length", String(recorder.Body()?.length ?? "unknown")));
 *   return ctx.Next();
 * });
 * app.Get("/", (ctx) => ctx.WriteString("hello"));
 *
 * const response = await app.fetch(new Request("http://localhost/"));
 * response.headers.get("x-length"); // → "5"
 * await response.body?.cancel();
 * const missing = await app.fetch(new Request("http://localhost/nowhere"));
 * missing.headers.get("x-length"); // → "9"
 * await missing.body?.cancel();
 * ```
 */
export class Recorder {
  readonly #recorded: Recorded;

  /**
   * Created by `ctx.Recorder()`.
   *
   * @ignore
   */
  constructor(recorded: Recorded) {
    this.#recorded = recorded;
    const { draft } = recorded;
    // A body that is looked at is serialised once only if it is kept as text.
    draft.keepsText = true;
    // Bytes of a file may be shared by all who ask for it, and middleware that looks at a body may write to it.
    if (draft.body instanceof Uint8Array) draft.body = draft.body.slice();
  }

  /**
   * The bytes that are written so far.
   *
   * @returns The bytes, empty where nothing is written; `null` for a stream, a file or a returned `Response`.
   */
  Body(): Uint8Array<ArrayBuffer> | null {
    return bodyBytes(this.#recorded.draft);
  }

  /**
   * Reads the body whatever it is, up to a limit. A longer one is sent as if it had not been touched.
   *
   * @param limit The most bytes to hold in memory; 1 MiB unless given.
   * @returns The bytes, or `null` where there are more.
   */
  ReadBody(limit: number = 1 << 20): Promise<Uint8Array<ArrayBuffer> | null> {
    return readBody(this.#recorded.draft, limit);
  }

  /**
   * Replaces the body. Status, content type and the other headers stay.
   *
   * @param body The new body.
   */
  SetBody(body: string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array<ArrayBuffer>>): void {
    replaceBody(this.#recorded.draft, body);
  }

  /** Removes the body and the headers that describe it. */
  ResetBody(): void {
    resetBody(this.#recorded.draft);
  }

  /** Removes all headers, cookies and the content type included; the body stays. */
  ResetHeaders(): void {
    const { draft } = this.#recorded;
    // Of a returned Response only the body stays: its headers cannot be told from the handler's own.
    if (draft.response !== undefined) transformBody(draft, (stream) => stream);
    draft.headers = undefined;
    draft.type = "";
  }

  /**
   * The status as it stands; `ctx.StatusCode` changes it.
   *
   * @returns The status code.
   */
  StatusCode(): number {
    return this.#recorded.draft.status;
  }

  /**
   * Reads a header as it stands; `ctx.Header` changes it.
   *
   * @param name The name, in any case.
   * @returns The value, those of one name joined by commas; empty if there is none.
   */
  Header(name: string): string {
    return readHeader(this.#recorded.draft, name);
  }

  /**
   * All headers as they stand, the content type included.
   *
   * @returns A copy; changing it changes nothing.
   */
  Headers(): Headers {
    return draftHeaders(this.#recorded.draft);
  }

  /**
   * Passes the body through a function from stream to stream when the response is sent. The last one given sees the body
   * first, as the innermost middleware does; a response without a body is left alone.
   *
   * @param transform The function, such as `(body) => body.pipeThrough(new CompressionStream("gzip"))`.
   */
  Transform(
    transform: (body: ReadableStream<Uint8Array<ArrayBuffer>>) => ReadableStream<Uint8Array<ArrayBuffer>>,
  ): void {
    beforeSending(this.#recorded, () => transformBody(this.#recorded.draft, transform));
  }

  /**
   * Runs a function when everything of the response is written, an error page included, and before it is sent.
   *
   * @param task The function; it may still change the response. The last one given runs first, so that middleware sees
   *   what the handlers inside of it have settled.
   */
  OnSend(task: (recorder: Recorder) => void | Promise<void>): void {
    beforeSending(this.#recorded, () => task(this));
  }
}

/** A stream of bytes. */
type ByteStream = ReadableStream<Uint8Array<ArrayBuffer>>;

const encoder = new TextEncoder();
/** Headers that are added to those of a returned `Response` instead of replacing them. */
const added: ReadonlySet<string> = new Set(["set-cookie", "vary"]);

/** The bytes that are written so far; `null` for a stream or a file, whose bytes are not there yet. */
function bodyBytes(draft: Draft): Uint8Array<ArrayBuffer> | null {
  const { body, response } = draft;
  if (body instanceof ReadableStream || (response?.body ?? null) !== null) return null;
  return body instanceof Uint8Array ? body : encoder.encode(body === undefined ? "" : String(body));
}

/** All headers of a draft, as they would be sent. */
function draftHeaders(draft: Draft): Headers {
  const headers = new Headers(draft.response?.headers);
  const own = new Set<string>();
  for (const [name, value] of draft.headers ?? []) {
    if (own.has(name) || added.has(name)) headers.append(name, value);
    else headers.set(name, value);
    own.add(name);
  }
  const type = readHeader(draft, "content-type");
  if (type !== "") headers.set("content-type", type);
  return headers;
}

/** Puts another body in place of what was written; its type and the other headers stay, the length does not. */
function replaceBody(draft: Draft, body: string | Uint8Array<ArrayBuffer> | ByteStream): void {
  nameType(draft);
  absorb(draft);
  if (draft.body instanceof ReadableStream && draft.body !== body && !draft.body.locked) {
    void draft.body.cancel().catch(ignore);
  }
  draft.response = undefined;
  draft.body = body;
  draft.headers = draft.headers?.filter(([name]) => name !== "content-length");
}

/** Passes the body through a function from stream to stream, whatever it was before. */
export function transformBody(draft: Draft, transform: (stream: ByteStream) => ByteStream): void {
  absorb(draft);
  if (draft.body === undefined) return;
  nameType(draft);
  const stream = draft.body instanceof ReadableStream ? draft.body : streamOf(draft.body);
  draft.body = transform(stream);
  draft.headers = draft.headers?.filter(([name]) => name !== "content-length");
}

/**
 * Reads the body up to a limit. A stream that is longer is left as it was: nothing of it is lost.
 *
 * @returns The bytes, or `null` where there are more than the limit.
 */
async function readBody(draft: Draft, limit: number): Promise<Uint8Array<ArrayBuffer> | null> {
  absorb(draft);
  if (!(draft.body instanceof ReadableStream)) {
    const bytes = bodyBytes(draft);
    return bytes !== null && bytes.length <= limit ? bytes : null;
  }
  const reader = draft.body.getReader();
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  while (length <= limit) {
    const { done, value } = await reader.read();
    if (done) return draft.body = joined(chunks, length);
    chunks.push(value);
    length += value.length;
  }
  draft.body = continued(chunks, reader);
  return null;
}

/** Takes a returned `Response` apart, so that its body can be read: its headers become the draft's. */
function absorb(draft: Draft): void {
  const { response } = draft;
  // An upgrade is bound to its very object, and one that was read already fails when it is sent.
  if (response === undefined || response.body === null || response.status === 101 || response.bodyUsed) return;
  const own = draft.headers ?? [];
  const replaced = new Set(own.map(([name]) => name).filter((name) => !added.has(name)));
  const kept = [...response.headers].filter(([name]) => name !== "content-type" && !replaced.has(name));
  draft.headers = [...kept, ...own];
  if (draft.type === "") draft.type = response.headers.get("content-type") ?? "";
  draft.body = response.body;
  draft.response = undefined;
}

/** Says what the body is before it changes its form: text that became bytes would lose its type. */
function nameType(draft: Draft): void {
  if (draft.type !== "" || draft.response !== undefined || draft.body === undefined) return;
  if (typeof draft.body === "string") draft.type = "text/plain;charset=UTF-8";
  else if (!(draft.body instanceof Uint8Array || draft.body instanceof ReadableStream)) draft.type = "application/json";
}

function streamOf(body: Exclude<DraftBody, ByteStream>): ByteStream {
  const bytes = body instanceof Uint8Array ? body : encoder.encode(String(body));
  return new ReadableStream({
    start(controller) {
      if (bytes.length > 0) controller.enqueue(bytes);
      controller.close();
    },
  });
}

function joined(chunks: readonly Uint8Array<ArrayBuffer>[], length: number): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
}

/** What was read, followed by what was not. */
function continued(
  chunks: Uint8Array<ArrayBuffer>[],
  reader: ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>,
): ByteStream {
  return new ReadableStream({
    async pull(controller) {
      const chunk = chunks.shift();
      if (chunk !== undefined) return controller.enqueue(chunk);
      const { done, value } = await reader.read();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: (reason) => reader.cancel(reason),
  });
}

function ignore(): void {}
