/**
 * The response within reach of middleware, before it is sent.
 *
 * @module
 */

import { isShut, readHeader, resetBody } from "../response/draft.ts";
import { bodyBytes, draftHeaders, readBody, replaceBody, transformBody } from "../response/draft_body.ts";
import { beforeSending, type Ending } from "./ending/end_tasks.ts";
import { runAsOwner } from "./ending/writers.ts";

/**
 * The response of a request as it stands, for middleware that looks at it or changes it. Requests whose middleware does
 * not ask for it pay nothing.
 *
 * After `await ctx.Next()` it shows what the handlers have written. A function given to {@linkcode Recorder.OnSend}
 * runs later, when the error page, if there is one, has been written too.
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
  readonly #recorded: Ending;

  /**
   * Created by `ctx.Recorder()`.
   *
   * @ignore
   */
  constructor(recorded: Ending) {
    this.#recorded = recorded;
    const { draft } = recorded;
    if (isShut(draft)) return;
    // A body that is looked at is serialised once only if it is kept as text.
    draft.keepsText = true;
    draft.isRecorded = true;
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
    if (isShut(draft)) return;
    // Of a returned Response only the body stays: its headers cannot be told from the handler's own.
    if (draft.response !== undefined) transformBody(draft, (stream) => stream);
    draft.headers = undefined;
    draft.type = "";
  }

  /**
   * Returns the status code of the response. `ctx.StatusCode` sets it.
   *
   * @returns The status code.
   */
  GetStatusCode(): number {
    return this.#recorded.draft.status;
  }

  /**
   * Returns a header field of the response. `ctx.Header` sets it.
   *
   * @param name The name, case-insensitive.
   * @returns The value, several joined by commas; empty if the field is not set.
   */
  GetHeader(name: string): string {
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
   * Passes the body through a function from stream to stream when the response is sent. The last one given sees the
   * body first, as the innermost middleware does; a response without a body is left alone.
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
    beforeSending(this.#recorded, () => runAsOwner(this.#recorded, () => task(this)));
  }
}
