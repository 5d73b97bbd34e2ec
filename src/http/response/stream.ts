/**
 * Streaming response bodies.
 *
 * @module
 */

import { AsyncContext } from "../../base/async/async_context.ts";
import { iteratorOf } from "../../base/async/callback.ts";
import { whenAborted } from "../../base/async/when_aborted.ts";
import { flag } from "../../base/config/option_kinds.ts";
import { optionTable, readOptions } from "../../base/config/option_table.ts";
import { type Draft, setBody, setHeader } from "./draft.ts";

/**
 * The property in which Deno stores a body that it can send without a stream, or `null` if there is none. Reading
 * `body` instead would turn every text into a stream, which takes 25 µs (Deno 2.9.5). It is determined on first use,
 * because most programs do not return responses.
 */
let staticBody: symbol | null | undefined = undefined;

function findStaticBody(): symbol | null {
  const symbols = Object.getOwnPropertySymbols(new Response("text"));
  return symbols.find(({ description }) => description === "serve fast body") ?? null;
}

/** Reports whether the body of a response is generated while it is sent, or may be if the platform does not tell. */
export function hasStream(response: Response): boolean {
  if (staticBody === undefined) staticBody = findStaticBody();
  if (staticBody === null) return response.body !== null;
  return (response as unknown as Record<symbol, unknown>)[staticBody] === null && response.body !== null;
}

/** A chunk from a source. */
export type Part = string | Uint8Array<ArrayBuffer>;

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
  /** Delays the disposal of the request's values until a promise is settled. */
  hold(promise: Promise<unknown>): void;
  /** Called if the client disconnects while a stream is sent that fw only watches. */
  left?(): void;
  /** Called when the source is closed. */
  closed?(): void;
}

/** The streams that need no watcher. */
const unwatched = new WeakSet<ReadableStream>();

/** Reports whether a stream reports its failures to its request itself, or is read by the platform. */
export function isUnwatched(stream: ReadableStream): boolean {
  return unwatched.has(stream);
}

/** Marks the stream of a file. The platform reads it without running any JavaScript, which a watcher would prevent. */
export function leaveToPlatform<T extends ReadableStream>(stream: T): T {
  unwatched.add(stream);
  return stream;
}

const encoder = new TextEncoder();

/** Reads a source for a client, in the asynchronous context of the call that created it. */
class SourceReader implements UnderlyingDefaultSource<Uint8Array<ArrayBuffer>> {
  readonly #parts: Iterator<Part> | AsyncIterator<Part>;
  readonly #gone: AbortController;
  readonly #terms: StreamTerms;
  readonly #context = new AsyncContext();
  readonly #closed = Promise.withResolvers<void>();
  #forget = ignore;
  /** The step that the source is performing. */
  #step: Promise<unknown> | undefined = undefined;

  constructor(source: Exclude<StreamSource, ReadableStream>, terms: StreamTerms) {
    this.#gone = new AbortController();
    const parts = typeof source === "function" ? source(this.#gone.signal) : source;
    this.#parts = iteratorOf(parts);
    this.#terms = terms;
    terms.hold(this.#closed.promise);
    if (terms.closed !== undefined) void this.#closed.promise.then(terms.closed);
  }

  start(controller: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>): void {
    this.#forget = whenCutOff(this.#terms, controller, () => this.#leave());
  }

  async pull(controller: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>): Promise<void> {
    try {
      const step = this.#context.run(() => this.#parts.next());
      this.#step = step;
      const { done, value } = await step;
      if (this.#gone.signal.aborted) return;
      if (done !== true) return controller.enqueue(typeof value === "string" ? encoder.encode(value) : value);
      this.#forget();
      this.#closed.resolve();
      controller.close();
    } catch (error) {
      this.#forget();
      this.#report(error);
      // After a disconnect, the source is closed when its last step has ended.
      if (!this.#gone.signal.aborted) this.#closed.resolve();
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
    const closing = this.#context.run<unknown>(() => {
      this.#gone.abort(new DOMException("The client has disconnected", "AbortError"));
      return this.#parts.return?.();
    }).catch((error) => this.#report(error));
    void Promise.allSettled([closing, this.#step]).then(() => this.#closed.resolve());
  }

  /** Reports an error, unless the source ended because its client has disconnected. */
  #report(error: unknown): void {
    const { signal } = this.#gone;
    if (!signal.aborted || error !== signal.reason) this.#terms.failed(error);
  }
}

/**
 * Reads a stream for a client, in the asynchronous context of the call that has passed it to fw. A stream that is only
 * watched is read at once, because middleware may have wrapped it and reads the request when the client disconnects.
 */
class StreamReader implements UnderlyingDefaultSource<Uint8Array<ArrayBuffer>> {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>;
  readonly #terms: StreamTerms;
  readonly #context: AsyncContext | undefined;
  #forget = ignore;
  #isLeft = false;

  constructor(stream: ReadableStream<Uint8Array<ArrayBuffer>>, terms: StreamTerms) {
    this.#reader = stream.getReader();
    this.#terms = terms;
    this.#context = terms.left === undefined ? new AsyncContext() : undefined;
  }

  start(controller: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>): void {
    this.#forget = whenCutOff(this.#terms, controller, (reason) => void this.#close(reason).catch(ignore));
  }

  async pull(controller: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>): Promise<void> {
    try {
      const { done, value } = await this.#call(() => this.#reader.read());
      // The client may have disconnected in the meantime, which closes the controller.
      if (this.#isLeft) return;
      if (!done) return controller.enqueue(value);
      this.#forget();
      controller.close();
    } catch (error) {
      this.#forget();
      this.#terms.failed(error);
      throw error;
    }
  }

  cancel(reason: unknown): Promise<void> {
    this.#terms.left?.();
    return this.#close(reason);
  }

  #call<T>(run: () => Promise<T>): Promise<T> {
    return this.#context === undefined ? run() : this.#context.run(run);
  }

  #close(reason: unknown): Promise<void> {
    this.#forget();
    this.#isLeft = true;
    const closing = this.#call(() => this.#reader.cancel(reason));
    this.#terms.hold(closing);
    return closing;
  }
}

/** Breaks off a stream when its request is cut off. Returns a function that ends the wait. */
function whenCutOff(
  { cutOff }: StreamTerms,
  controller: ReadableStreamDefaultController,
  close: (reason: unknown) => void,
): () => void {
  return whenAborted(cutOff, () => {
    controller.error(cutOff.reason);
    close(cutOff.reason);
  });
}

/**
 * Creates a byte stream with back-pressure: a slow client slows down the source.
 *
 * @param source The source of the bytes.
 * @param terms The signal that ends the stream, and the callback for failures.
 * @returns The byte stream.
 */
export function byteStream(source: StreamSource, terms: StreamTerms): ReadableStream<Uint8Array<ArrayBuffer>> {
  const reader = source instanceof ReadableStream ? new StreamReader(source, terms) : new SourceReader(source, terms);
  const stream = new ReadableStream(reader, { highWaterMark: 0 });
  unwatched.add(stream);
  return stream;
}

export function ignore(): void {}

/** Options for `ctx.Stream`. */
export interface StreamOptions {
  /**
   * Whether to send `X-Accel-Buffering: no`, which makes nginx forward each chunk immediately.
   *
   * @default {false}
   */
  Unbuffered?: boolean;
}

const table = optionTable<StreamOptions>("StreamOptions", "Stream")({ Unbuffered: flag(false) });

/** Responds with a stream. */
export function sendStream(
  draft: Draft,
  stream: ReadableStream<Uint8Array<ArrayBuffer>>,
  options: StreamOptions,
): void {
  if (readOptions(table, options).Unbuffered) setHeader(draft, "x-accel-buffering", "no");
  setBody(draft, stream);
}
