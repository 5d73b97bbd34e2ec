/**
 * Streaming response bodies.
 *
 * @module
 */

import { AsyncContext } from "../async/async_context.ts";

/** A chunk from a source. */
type Part = string | Uint8Array<ArrayBuffer>;

/**
 * The source for `ctx.Stream`: a byte stream, an iterable of strings and bytes, or a function that returns one. The
 * function receives a signal that aborts if the client disconnects. Use it to cancel work.
 */
export type StreamSource =
  | ReadableStream<Uint8Array<ArrayBuffer>>
  | Iterable<string | Uint8Array<ArrayBuffer>>
  | AsyncIterable<string | Uint8Array<ArrayBuffer>>
  | ((
    signal: AbortSignal,
  ) => Iterable<string | Uint8Array<ArrayBuffer>> | AsyncIterable<string | Uint8Array<ArrayBuffer>>);

/** The request properties that a stream needs. */
export interface StreamTerms {
  /**
   * Aborted when a shutdown ends the requests that are still in flight. The stream is then cut off, even if its source
   * is waiting.
   */
  readonly cutOff: AbortSignal;
  /** Called if the source fails. The response headers have already been sent at that point. */
  failed(error: unknown): void;
}

const encoder = new TextEncoder();

/** Reads a source for a client, in the asynchronous context of the call that created it. */
class SourceReader implements UnderlyingDefaultSource<Uint8Array<ArrayBuffer>> {
  readonly #parts: Iterator<Part> | AsyncIterator<Part>;
  readonly #gone: AbortController;
  readonly #terms: StreamTerms;
  readonly #context = new AsyncContext();
  #isOver = false;
  #breakOff: (() => void) | undefined = undefined;

  constructor(source: Exclude<StreamSource, ReadableStream>, terms: StreamTerms) {
    this.#gone = new AbortController();
    const parts = typeof source === "function" ? source(this.#gone.signal) : source;
    this.#parts = Symbol.asyncIterator in parts ? parts[Symbol.asyncIterator]() : parts[Symbol.iterator]();
    this.#terms = terms;
  }

  start(controller: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>): void {
    const { cutOff } = this.#terms;
    this.#breakOff = () => {
      controller.error(cutOff.reason);
      this.#leave();
    };
    cutOff.addEventListener("abort", this.#breakOff, { once: true });
  }

  async pull(controller: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>): Promise<void> {
    try {
      const { done, value } = await this.#context.run(() => this.#parts.next());
      if (this.#isOver) return;
      if (done !== true) return controller.enqueue(typeof value === "string" ? encoder.encode(value) : value);
      this.#forget();
      controller.close();
    } catch (error) {
      this.#forget();
      this.#report(error);
      throw error;
    }
  }

  cancel(): void {
    this.#leave();
  }

  /**
   * Notifies the source that the client has disconnected, without waiting for it. A waiting generator is notified
   * through its signal or when it continues.
   */
  #leave(): void {
    this.#forget();
    this.#isOver = true;
    this.#context.run<unknown>(() => {
      this.#gone.abort(new DOMException("The client has disconnected", "AbortError"));
      return this.#parts.return?.();
    }).catch((error) => this.#report(error));
  }

  #forget(): void {
    if (this.#breakOff !== undefined) this.#terms.cutOff.removeEventListener("abort", this.#breakOff);
  }

  /** Reports an error, unless the source ended because its client has disconnected. */
  #report(error: unknown): void {
    const { signal } = this.#gone;
    if (!signal.aborted || error !== signal.reason) this.#terms.failed(error);
  }
}

/** Forwards a stream and reports its failure. */
function reportingStream(
  stream: ReadableStream<Uint8Array<ArrayBuffer>>,
  terms: StreamTerms,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const reader = stream.getReader();
  const context = new AsyncContext();
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await context.run(() => reader.read());
        if (done) controller.close();
        else controller.enqueue(value);
      } catch (error) {
        terms.failed(error);
        throw error;
      }
    },
    cancel(reason) {
      return context.run(() => reader.cancel(reason));
    },
  }, { highWaterMark: 0 });
}

/**
 * Creates a byte stream with back-pressure: a slow client slows down the source.
 *
 * @param source The source of the bytes.
 * @param terms The signal that ends the stream, and the callback for failures.
 * @returns The byte stream.
 */
export function byteStream(source: StreamSource, terms: StreamTerms): ReadableStream<Uint8Array<ArrayBuffer>> {
  // Deno could send a file stream directly, which would be about a tenth faster, but it would not report which request
  // a failure belongs to.
  if (source instanceof ReadableStream) return reportingStream(source, terms);
  return new ReadableStream(new SourceReader(source, terms), { highWaterMark: 0 });
}

export function ignore(): void {}
