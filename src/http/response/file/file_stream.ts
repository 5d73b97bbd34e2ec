/**
 * Streams the content of a file, reading it while it is sent.
 *
 * @module
 */

import { FrameworkError } from "../../../base/errors/errors.ts";
import { noteFile, ownChunks } from "../taken_chunks.ts";
import { lengthOf, type Piece } from "./file_pieces.ts";
import type { Pace } from "./pace.ts";

const smallest = 64 << 10;
const largest = 512 << 10;
const budget = 1 << 20;

let held = 0;

/** One file's share of the memory. */
class ChunkBudget {
  #chunk = 0;
  #size: number;

  /**
   * Creates an empty share.
   *
   * @param first The size of the first chunk, in bytes.
   */
  constructor(first: number = smallest) {
    this.#size = Math.max(1, first);
  }

  /**
   * Releases the last chunk after the client has read it and reserves the next one.
   *
   * @param wanted The number of bytes left to send.
   * @returns The size of the next chunk, in bytes.
   */
  next(wanted: number): number {
    this.release();
    const size = Math.min(held + this.#size > budget ? smallest : this.#size, wanted);
    this.#size = Math.min(2 * this.#size, largest);
    this.#chunk = size;
    held += size;
    return size;
  }

  /** Releases the reserved memory. */
  release(): void {
    held -= this.#chunk;
    this.#chunk = 0;
  }
}

/** The length above which content is considered long, in bytes. Download managers request parts of up to 8 MiB. */
const long = 8 << 20;
/** The maximum number of long contents to send at a time before others are sent in a cheaper way. */
const mostLong = 4;
let longStreams = 0;

/**
 * Reports whether another stream of this length should be avoided. If its client reads slowly, a stream costs 0.5 MB of
 * memory, five times as much as a platform stream, because the platform buffers its chunks.
 *
 * @param length The length of the content, in bytes.
 */
export function isCrowded(length: number): boolean {
  return length > long && longStreams >= mostLong;
}

/** Sends the pieces of a file. */
class FileReader implements UnderlyingDefaultSource<Uint8Array<ArrayBuffer>> {
  readonly #handle: Deno.FsFile;
  readonly #pieces: readonly Piece[];
  readonly #pace: Pace | undefined;
  readonly #budget = new ChunkBudget();
  #at = 0;
  /** The number of bytes of the current piece sent so far. */
  #sent = 0;
  #isOpen = true;
  readonly #isLong: boolean;
  readonly #leave = noteFile();
  /** Whether the platform reads the chunks. */
  #isTaken = false;
  #last: ArrayBuffer | undefined = undefined;

  constructor(handle: Deno.FsFile, pieces: readonly Piece[], pace: Pace | undefined) {
    this.#handle = handle;
    this.#pieces = pieces;
    this.#pace = pace;
    this.#isLong = pieces.reduce((sum, piece) => sum + lengthOf(piece), 0) > long;
    if (this.#isLong) longStreams++;
  }

  async pull(controller: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>): Promise<void> {
    try {
      const chunk = await this.#next();
      // The client disconnected during the read.
      if (!this.#isOpen) return;
      if (chunk !== undefined) controller.enqueue(chunk);
      if (this.#at < this.#pieces.length) return;
      this.#close();
      controller.close();
    } catch (error) {
      this.#close();
      throw error;
    }
  }

  cancel(): void {
    this.#close();
  }

  /** Frees the chunks from now on when the next one is read. */
  free(): void {
    this.#isTaken = true;
  }

  async #next(): Promise<Uint8Array<ArrayBuffer> | undefined> {
    const piece = this.#pieces[this.#at];
    if (piece === undefined) return undefined;
    if (piece instanceof Uint8Array) {
      this.#at++;
      return piece;
    }
    const left = lengthOf(piece) - this.#sent;
    const size = this.#budget.next(Math.min(left, this.#pace?.burst ?? left));
    await this.#pace?.wait(size);
    if (this.#sent === 0 && (piece[0] > 0 || this.#at > 0)) {
      await this.#handle.seek(piece[0], Deno.SeekMode.Start);
    }
    // Detaches the chunk from its object, which only the garbage collector would remove.
    if (this.#isTaken && this.#last?.detached === false) this.#last.transfer(0);
    const buffer = new Uint8Array(size);
    this.#last = buffer.buffer;
    const count = this.#isOpen ? await this.#handle.read(buffer) : 0;
    // The length has already been sent, so closing the connection is the only way to tell the client that the content
    // is incomplete.
    if (count === null) {
      throw new FrameworkError("FW_FILE", "Cannot send a file: it became shorter while it was being sent");
    }
    this.#sent += count;
    if (count === left) {
      this.#at++;
      this.#sent = 0;
    }
    return count === size ? buffer : buffer.subarray(0, count);
  }

  #close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    if (this.#isLong) longStreams--;
    this.#leave();
    this.#budget.release();
    this.#pace?.stop();
    this.#handle.close();
  }
}

/**
 * Creates a stream from the pieces of a file. The file is closed when the stream ends or is canceled.
 *
 * @param handle The open file.
 * @param pieces The pieces to send.
 * @param pace The rate limit, if any.
 */
export function fileStream(
  handle: Deno.FsFile,
  pieces: readonly Piece[],
  pace?: Pace,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const reader = new FileReader(handle, pieces, pace);
  const stream = new ReadableStream(reader, { highWaterMark: 0 });
  ownChunks(stream, () => reader.free());
  return stream;
}
