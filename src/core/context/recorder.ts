/**
 * The recorder. It lets middleware inspect and change a response before it is sent.
 *
 * @module
 */

import { assertFunction } from "../../base/config/returned.ts";
import { inContext } from "../../base/async/async_context.ts";
import { isShut, readHeader, resetBody, setType, termsOf } from "../../http/response/draft.ts";
import { bodyBytes, draftHeaders, readBody, replaceBody, transformBody } from "../../http/response/draft_body.ts";
import { beforeSending } from "../exchange/ending/end_tasks.ts";
import { type Ended, runAsOwner } from "../exchange/ending/ending.ts";

/**
 * Gives middleware access to the response before it is sent. Requests that do not use it have no additional cost.
 *
 * After `await ctx.Next()`, the recorder shows what the handlers have written. Functions registered with {@linkcode
 * Recorder.OnSend} run later, after any error page has been written.
 *
 * @example Set a header that depends on the body
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
  readonly #recorded: Ended;

  /**
   * Created by `ctx.Recorder()`.
   *
   * @ignore
   */
  constructor(recorded: Ended) {
    this.#recorded = recorded;
    const { draft } = recorded;
    if (isShut(draft)) return;
    // Keeping the body as text avoids serializing it twice.
    termsOf(draft).keepsText = true;
    // File contents may be shared between requests, but middleware may modify the bytes that it reads.
    if (draft.body instanceof Uint8Array) draft.body = draft.body.slice();
  }

  /**
   * Returns the bytes written so far.
   *
   * @returns The bytes. They are empty if nothing was written, and `null` for a stream, a file or a returned
   * `Response`.
   */
  Body(): Uint8Array<ArrayBuffer> | null {
    return bodyBytes(this.#recorded.draft);
  }

  /**
   * Reads a response body of any kind, up to a limit. A body that exceeds the limit is sent unchanged.
   *
   * @param limit The maximum size, in bytes. Defaults to 1 MiB.
   * @returns The bytes, or `null` if the body exceeds the limit.
   */
  ReadBody(limit: number = 1 << 20): Promise<Uint8Array<ArrayBuffer> | null> {
    return readBody(this.#recorded.draft, typeof limit === "number" ? limit : -1);
  }

  /**
   * Replaces the response body. The status code, the content type and the other headers are kept.
   *
   * @param body The new body.
   */
  SetBody(body: string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array<ArrayBuffer>>): void {
    replaceBody(this.#recorded.draft, body);
  }

  /** Removes the response body and the headers that describe it. */
  ResetBody(): void {
    resetBody(this.#recorded.draft);
  }

  /** Removes all response headers, including cookies and the content type. The body is kept. */
  ResetHeaders(): void {
    const { draft } = this.#recorded;
    if (isShut(draft)) return;
    // Keep only the body of a returned Response, because its headers cannot be distinguished from those set by the
    // handler.
    if (draft.response !== undefined) transformBody(draft, (stream) => stream);
    draft.headers = undefined;
    setType(draft, "");
  }

  /**
   * Returns the current status code. To change it, use `ctx.StatusCode`.
   *
   * @returns The status code.
   */
  GetStatusCode(): number {
    return this.#recorded.draft.status;
  }

  /**
   * Returns the current value of a response header. To change it, use `ctx.Header`.
   *
   * @param name The header name, case-insensitive.
   * @returns The value, or an empty string if the header is not set. Multiple values are joined with commas.
   */
  GetHeader(name: string): string {
    return readHeader(this.#recorded.draft, name);
  }

  /**
   * Returns all current response headers, including the content type.
   *
   * @returns A copy. Changing it does not affect the response.
   */
  Headers(): Headers {
    return draftHeaders(this.#recorded.draft);
  }

  /**
   * Transforms the response body when it is sent. Transforms run in reverse order of registration, so the innermost
   * middleware transforms the body first. Responses without a body are not transformed.
   *
   * @param transform The function to apply, such as `(body) => body.pipeThrough(new CompressionStream("gzip"))`.
   */
  Transform(
    transform: (body: ReadableStream<Uint8Array<ArrayBuffer>>) => ReadableStream<Uint8Array<ArrayBuffer>>,
  ): void {
    assertFunction(transform, "a transformation");
    this.OnSend(() => transformBody(this.#recorded.draft, transform));
  }

  /**
   * Registers a function to run before the response is sent, when everything, including the error page, has been
   * written. Functions run in reverse order of registration, so that middleware sees the changes made by the handlers
   * inside it.
   *
   * @param task The function to run. It may change the response.
   */
  OnSend(task: (recorder: Recorder) => unknown): void {
    assertFunction(task, "a task");
    beforeSending(this.#recorded, inContext(() => runAsOwner(this.#recorded, () => task(this))));
  }
}
