/**
 * The limits and settings of a request body, and the request for code outside fw.
 *
 * @module
 */

import { assertLimit, type BodyLimits } from "./source/body_limits.ts";
import { assertLength, declaredLength } from "./source/content_length.ts";
import { countedRequest } from "./source/counted_request.ts";
import type { Source } from "./source/source.ts";

/** The reader of a body, as used here. */
export interface BodyReading {
  /** Whether something has read the body. */
  readonly isEntered: boolean;
  /** Opens the body for code outside fw. */
  countedSource(): Source;
  /** Lowers the limit of a body that is being read. */
  limitSource(max: number): void;
  /** Returns a copy of the request with the data that was read and stored, or `undefined` if there is none. */
  storedRequest(): Request | undefined;
}

/** The settings of a request body, which middleware can change also while it is read. */
export class BodyTerms {
  readonly request: Request;
  readonly limits: BodyLimits;
  /** The limit set by the route. If `undefined`, the application's limit applies. */
  max: number | undefined = undefined;
  maxJSON: number;
  isUnpacking = false;
  /** The request for code outside fw, if the limit applies to that code. */
  counted: Request | undefined = undefined;
  /** The reader of the body, created by the first read. */
  reading: BodyReading | undefined = undefined;
  /** Called if form fields are read from a body of another type. Only set in development. */
  onOtherType: ((type: string) => void) | undefined = undefined;

  /**
   * Creates the settings of a request body.
   *
   * @param request The request.
   * @param limits The limits for the body.
   */
  constructor(request: Request, limits: BodyLimits) {
    this.request = request;
    this.limits = limits;
    this.maxJSON = limits.maxJSON;
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
    this.reading?.limitSource(max);
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
    const stored = this.reading?.storedRequest();
    if (stored !== undefined) return stored;
    const isCounted = this.max !== undefined && this.request.body !== null && this.reading?.isEntered !== true;
    return isCounted ? this.countedRequest() : this.counted ?? this.request;
  }

  /** Returns a copy of the request that reads the body in fw, without checking its declared length. */
  countedRequest(): Request {
    return this.counted ??= countedRequest(this.request, async () => (await this.open()).countedSource());
  }

  /** Returns the reader of the body. */
  open(): BodyReading | Promise<BodyReading> {
    return this.reading as BodyReading;
  }
}
