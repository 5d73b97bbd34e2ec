/**
 * Bodies that come piece by piece.
 *
 * @module
 */

/** What a source yields. */
type Part = string | Uint8Array<ArrayBuffer>;

/**
 * What `ctx.Stream` takes: a stream of bytes, an iterable of texts and bytes, or a function that returns one. A
 * function gets a signal that is aborted when the client leaves, so that what waits for something can stop waiting.
 */
export type StreamSource =
  | ReadableStream<Uint8Array<ArrayBuffer>>
  | Iterable<string | Uint8Array<ArrayBuffer>>
  | AsyncIterable<string | Uint8Array<ArrayBuffer>>
  | ((
    signal: AbortSignal,
  ) => Iterable<string | Uint8Array<ArrayBuffer>> | AsyncIterable<string | Uint8Array<ArrayBuffer>>);

const encoder = new TextEncoder();

/** Reads a source for a client. */
class SourceReader implements UnderlyingDefaultSource<Uint8Array<ArrayBuffer>> {
  readonly #parts: Iterator<Part> | AsyncIterator<Part>;
  readonly #gone: AbortController;
  readonly #cutOff: AbortSignal;
  #breakOff: (() => void) | undefined = undefined;

  constructor(source: Exclude<StreamSource, ReadableStream>, cutOff: AbortSignal) {
    this.#gone = new AbortController();
    const parts = typeof source === "function" ? source(this.#gone.signal) : source;
    this.#parts = Symbol.asyncIterator in parts ? parts[Symbol.asyncIterator]() : parts[Symbol.iterator]();
    this.#cutOff = cutOff;
  }

  start(controller: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>): void {
    this.#breakOff = () => {
      controller.error(this.#cutOff.reason);
      this.#leave();
    };
    this.#cutOff.addEventListener("abort", this.#breakOff, { once: true });
  }

  async pull(controller: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>): Promise<void> {
    try {
      const { done, value } = await this.#parts.next();
      if (this.#gone.signal.aborted) return;
      if (done !== true) return controller.enqueue(typeof value === "string" ? encoder.encode(value) : value);
      this.#forget();
      controller.close();
    } catch (error) {
      this.#forget();
      throw error;
    }
  }

  cancel(): void {
    this.#leave();
  }

  /**
   * Tells the source that the client has gone. It is not waited for: a generator that waits for something hears of it
   * by its signal, or when that something has come.
   */
  #leave(): void {
    this.#forget();
    this.#gone.abort(new DOMException("The client has gone", "AbortError"));
    Promise.try(() => this.#parts.return?.()).catch(ignore);
  }

  #forget(): void {
    if (this.#breakOff !== undefined) this.#cutOff.removeEventListener("abort", this.#breakOff);
  }
}

/**
 * Creates a stream of bytes; pulling from it pulls from the source, so a slow client slows the source down.
 *
 * @param source Where the bytes come from. A stream is taken as it is, since Deno sends one of a file without a detour.
 * @param cutOff Breaks the stream off, also while the source waits for something.
 * @returns The stream.
 */
export function byteStream(source: StreamSource, cutOff: AbortSignal): ReadableStream<Uint8Array<ArrayBuffer>> {
  if (source instanceof ReadableStream) return source;
  return new ReadableStream(new SourceReader(source, cutOff), { highWaterMark: 0 });
}

export function ignore(): void {}
