/**
 * The request body before anything has read it.
 *
 * Most requests have no body, so the code that reads one is loaded with the first body.
 *
 * @module
 */

import { LazyModule } from "../../base/async/lazy_module.ts";
import type { Body } from "./body.ts";
import { BodyTerms } from "./body_terms.ts";
import type { Form } from "./form/form.ts";
import type { FormPart } from "./multipart/form_parts.ts";

const bodies = new LazyModule(() => import("./body.ts"));

/** The body of a request. Creating the object is cheap, because the request is not accessed until something is read. */
export class RequestBody extends BodyTerms {
  #isOpening = false;

  /** Returns the reader, if something has read the body. */
  get reader(): Body | undefined {
    // Only the class itself enters a reader.
    return this.reading as Body | undefined;
  }

  /** Returns the reader, or a promise for it if the first body of the process is read. */
  override open(): Body | Promise<Body> {
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
