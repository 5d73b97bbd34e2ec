/**
 * Reads a request body, enforcing its size limit and timeout.
 *
 * @module
 */

import { HTTPError } from "../../errors/errors.ts";
import type { BodyClock } from "./body_clock.ts";
import { bodyTaken, connectionLost, malformed, tooLarge } from "./body_errors.ts";
import { type BodyRead, ChunkedReader } from "./chunked_reader.ts";

const act = "read the request body";

/** Options for {@linkcode Source}. */
export interface SourceOptions {
  /** The maximum number of bytes to read. The read that exceeds it fails. */
  readonly limit: number;
  /** The clock that enforces the timeout. */
  readonly clock: BodyClock;
  /** Creates the error for a failed read. By default, it reports a lost connection. */
  readonly failure?: (cause: unknown) => HTTPError;
  /** Whether the body uses HTTP/1.1 chunked encoding. */
  readonly isChunked?: boolean;
}

/** Any of the readers. A reader of whole chunks ignores the target. */
interface BodyReader {
  read(target: Uint8Array<ArrayBuffer>): Promise<BodyRead>;
  cancel(): Promise<void>;
}

/** The bytes of a request body, in order. */
export class Source {
  /** The maximum number of bytes to read. The read that exceeds it fails. */
  limit: number;
  readonly #request: Pick<Request, "body" | "bodyUsed">;
  readonly #clock: BodyClock;
  readonly #failed: (cause: unknown) => HTTPError;
  readonly #isChunked: boolean;
  #reader: BodyReader | undefined = undefined;
  #isDirect = false;
  #count = 0;
  #ended = false;
  #failure: HTTPError | undefined = undefined;

  /**
   * Creates a source that accesses the body on its first read.
   *
   * @param request The request.
   * @param options The options for reading.
   */
  constructor(request: Pick<Request, "body" | "bodyUsed">, options: SourceOptions) {
    this.#request = request;
    this.#clock = options.clock;
    this.#failed = options.failure ?? connectionLost;
    this.#isChunked = options.isChunked === true;
    this.limit = options.limit;
  }

  /** Returns the number of bytes read so far. */
  get count(): number {
    return this.#count;
  }

  /** Reports whether the body has not been read to its end or released yet. */
  get isOpen(): boolean {
    return !this.#ended;
  }

  /**
   * Opens the body.
   *
   * @returns `true` if `read` puts the bytes into its target, or `false` if they come in separate chunks.
   */
  open(): boolean {
    if (this.#reader === undefined && !this.#ended) this.#reader = this.#take();
    return this.#isDirect;
  }

  /**
   * Reads the available bytes, waiting for at least one.
   *
   * A body from the network is read into `target`, whose buffer is transferred and returned with the bytes. With one
   * buffer per request, a 256 MiB upload peaks 13 MB above idle; with the platform's own chunks, 91 MB (measured on
   * Deno 2.9.5). Other bodies come in separate chunks, and `target` is not used.
   *
   * @param target The array for the bytes.
   * @returns The bytes, or `null` at the end. After a failure, every read fails with the same error.
   */
  async read(target: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer> | null> {
    if (this.#failure !== undefined) throw this.#failure;
    this.open();
    if (this.#ended || this.#reader === undefined) return null;
    let chunk: Uint8Array<ArrayBuffer> | undefined;
    let done: boolean;
    const held = target.length;
    try {
      const read = { reading: this.#reader.read(target), count: this.#count, held };
      ({ value: chunk, done } = await this.#clock.wait(read));
    } catch (error) {
      throw this.#fail(error instanceof HTTPError ? error : this.#failed(error));
    }
    if (done || chunk === undefined) {
      this.#ended = true;
      return null;
    }
    if (!(chunk instanceof Uint8Array)) throw this.#fail(malformed(act, "it is not a byte stream"));
    this.#count += chunk.length;
    if (this.#count > this.limit) throw this.#fail(tooLarge(act, `it is larger than ${this.limit} bytes`));
    return chunk;
  }

  /** Releases the body. The platform discards the rest of the data that the client sends. */
  cancel(): void {
    if (this.#ended) return;
    this.#ended = true;
    // No caller is left to handle a failure after the body was released.
    this.#reader?.cancel().catch(() => {});
  }

  #fail(error: HTTPError): HTTPError {
    this.cancel();
    return this.#failure = error;
  }

  #take(): BodyReader | undefined {
    const { body } = this.#request;
    if (body === null) {
      this.#ended = true;
      return undefined;
    }
    // Waiting for a body that another reader has locked would never end.
    if (body.locked || this.#request.bodyUsed) throw bodyTaken();
    try {
      const reader = body.getReader({ mode: "byob" });
      this.#isDirect = true;
      return this.#isChunked ? new ChunkedReader(reader) : reader;
    } catch {
      // Short bodies, and those of in-process requests, are streams of whole chunks.
      return body.getReader();
    }
  }
}
