/**
 * The request body before anything has read it.
 *
 * Most requests have no body, so the code that reads one is loaded with the first body. Until then, this object keeps
 * the limits that middleware has set.
 *
 * @module
 */

import { LazyModule } from "../async/lazy_module.ts";
import type { Body } from "./body.ts";
import type { Form } from "./form/form.ts";
import type { FormPart } from "./multipart/form_parts.ts";
import { assertLimit, type BodyLimits } from "./source/body_limits.ts";
import { assertLength, declaredLength } from "./source/content_length.ts";
import { countedRequest } from "./source/counted_request.ts";

const bodies = new LazyModule(() => import("./body.ts"));

/** The body of a request. Creating the object is cheap, because the request is not accessed until something is read. */
export class RequestBody {
  readonly request: Request;
  readonly limits: BodyLimits;
  /** The limit set by the route. If `undefined`, the application's limit applies. */
  max: number | undefined = undefined;
  maxJSON: number;
  isUnpacking = false;
  /** The request for code outside fw, if the limit applies to that code. */
  counted: Request | undefined = undefined;
  /** The reader of the body, created by the first read. */
  reader: Body | undefined = undefined;
  /** Called if form fields are read from a body of another type. Only set in development. */
  onOtherType: ((type: string) => void) | undefined = undefined;
  #isOpening = false;

  /**
   * Creates the body of a request.
   *
   * @param request The request.
   * @param limits The limits for the body.
   */
  constructor(request: Request, limits: BodyLimits) {
    this.request = request;
    this.limits = limits;
    this.maxJSON = limits.maxJSON;
  }

  /** Returns the reader, or a promise for it if the first body of the process is read. */
  open(): Body | Promise<Body> {
    return this.reader ?? bodies.loaded?.readerOf(this) ?? this.#open();
  }

  async #open(): Promise<Body> {
    this.#isOpening = true;
    return (await bodies.get()).readerOf(this);
  }

  /** Reads the body as a form; see `Body.form`. */
  form(): Promise<Form> {
    const reader = this.open();
    return reader instanceof Promise ? reader.then((body) => body.form()) : reader.form();
  }

  /** Reads the whole body into memory; see `Body.bytes`. */
  async bytes(): Promise<Uint8Array<ArrayBuffer>> {
    return await (await this.open()).bytes();
  }

  /** Streams the parts of a multipart form; see `Body.parts`. */
  async *parts(): AsyncGenerator<FormPart> {
    yield* (await this.open()).parts();
  }

  /**
   * Limits the size of the body, replacing the application's limit. If there are several limits, the smallest one
   * applies. Reading a larger body fails.
   *
   * @param max The maximum size, in bytes.
   */
  limit(max: number): void {
    assertLimit("the request body", max);
    this.max = Math.min(this.max ?? Infinity, max);
    this.reader?.limitSource(max);
  }

  /**
   * Checks the declared length before the body is read.
   *
   * @throws {HTTPError} With status 413 if the declared length exceeds the limit.
   */
  assertDeclared(): void {
    const { method, headers } = this.request;
    // GET and HEAD requests rarely have a body, and its bytes are still counted when it is read. Checking the headers
    // would cost every other request 3 µs.
    if (method !== "GET" && method !== "HEAD") assertLength(declaredLength(headers), this.max ?? this.limits.maxBody);
  }

  /**
   * Sets the maximum size of a JSON body, replacing the application's limit.
   *
   * @param max The maximum size, in bytes.
   */
  limitJSON(max: number): void {
    assertLimit("JSON", max);
    this.maxJSON = max;
  }

  /**
   * Decompresses the body if it is compressed. The limits apply to both the compressed and the decompressed size. If
   * this method is not called, a compressed body cannot be read as text, JSON or a form.
   */
  unpack(): void {
    this.isUnpacking = true;
  }

  /**
   * Returns the request for code outside fw. If the size is limited, the limit also applies to that code. If fw has
   * read and stored the body, that code can read it again.
   *
   * @returns The request, which is the same for every call until fw reads the body.
   */
  handOut(): Request {
    const stored = this.reader?.storedRequest();
    if (stored !== undefined) return stored;
    const isCounted = this.max !== undefined && this.request.body !== null && this.reader?.isEntered !== true;
    return isCounted ? this.countedRequest() : this.counted ?? this.request;
  }

  /** Returns a copy of the request that reads the body in fw, without checking its declared length. */
  countedRequest(): Request {
    return this.counted ??= countedRequest(this.request, async () => (await this.open()).countedSource());
  }

  /** Returns the number of bytes read from a body without a declared length. */
  get received(): number {
    return this.reader?.received ?? 0;
  }

  /**
   * Reports whether anything has to be released when the request ends. Most bodies are read completely and leave
   * nothing to release.
   */
  get isHeld(): boolean {
    return this.reader?.isHeld ?? this.#isOpening;
  }

  /** Releases all resources of the body, regardless of how the request ended. */
  close(): void {
    if (this.reader !== undefined) this.reader.close();
    else if (this.#isOpening) void this.#open().then((reader) => reader.close());
  }
}
