/**
 * The bytes of a file on their way to a client: whole or in pieces, at once or by and by, no faster than wanted.
 *
 * @module
 */

import { FrameworkError } from "../../base/errors.ts";
import type { ByteRange } from "../../http/range.ts";

/** Sends the pieces of one file. */
class FileReader implements UnderlyingDefaultSource<Uint8Array<ArrayBuffer>> {
  readonly #handle: Deno.FsFile;
  readonly #pieces: readonly Piece[];
  readonly #pace: Pace | undefined;
  readonly #budget = new ChunkBudget();
  #at = 0;
  /** How many bytes of the current piece were sent. */
  #sent = 0;
  #isOpen = true;

  constructor(handle: Deno.FsFile, pieces: readonly Piece[], pace: Pace | undefined) {
    this.#handle = handle;
    this.#pieces = pieces;
    this.#pace = pace;
  }

  async pull(controller: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>): Promise<void> {
    try {
      const chunk = await this.#next();
      // The client went while the disk was asked.
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
    const buffer = new Uint8Array(size);
    const count = this.#isOpen ? await this.#handle.read(buffer) : 0;
    // The length is announced: only a broken connection tells the client that it did not get all.
    if (count === null) throw new FrameworkError("FW_FILE", "Cannot send a file: it became shorter than announced");
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
    this.#budget.release();
    this.#pace?.stop();
    this.#handle.close();
  }
}

/**
 * Creates a stream of pieces of a file. It closes the file at its end, and when it is cancelled.
 *
 * @param handle The open file.
 * @param pieces What is sent.
 * @param pace How fast, where that is limited.
 */
export function fileStream(
  handle: Deno.FsFile,
  pieces: readonly Piece[],
  pace?: Pace,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  return new ReadableStream(new FileReader(handle, pieces, pace), { highWaterMark: 0 });
}

/** A piece of a response: bytes of the file, or bytes between them. */
type Piece = ByteRange | Uint8Array<ArrayBuffer>;

/** The pieces of one response. */
export interface Pieces {
  readonly list: readonly Piece[];
  /** How many bytes they have together. */
  readonly length: number;
  /** The content type of several parts; `undefined` where the file's own is right. */
  readonly type?: string;
}

const encoder = new TextEncoder();

/**
 * Returns the pieces of a response with the whole file.
 *
 * @param size The size of the file.
 */
export function wholePieces(size: number): Pieces {
  return { list: size === 0 ? [] : [[0, size - 1]], length: size };
}

/**
 * Returns the pieces of a response with parts of a file (RFC 9110, 14.6).
 *
 * @param ranges The parts.
 * @param size The size of the file.
 * @param type The content type of the file.
 */
export function partPieces(ranges: readonly ByteRange[], size: number, type: string): Pieces {
  const [only] = ranges;
  if (only !== undefined && ranges.length === 1) return { list: ranges, length: lengthOf(only) };
  // Chosen at random, so that no file holds it.
  const boundary = crypto.randomUUID().replaceAll("-", "");
  const list = ranges.flatMap((range, at): Piece[] => {
    const head = `${at === 0 ? "" : "\r\n"}--${boundary}\r\ncontent-type: ${type}\r\n` +
      `content-range: ${contentRange(range, size)}\r\n\r\n`;
    return [encoder.encode(head), range];
  });
  list.push(encoder.encode(`\r\n--${boundary}--\r\n`));
  const length = list.reduce((sum, piece) => sum + lengthOf(piece), 0);
  return { list, length, type: `multipart/byteranges; boundary=${boundary}` };
}

/**
 * Returns the value of `Content-Range` for a part.
 *
 * @param range The part.
 * @param size The size of the file.
 */
export function contentRange([first, last]: ByteRange, size: number): string {
  return `bytes ${first}-${last}/${size}`;
}

/**
 * Returns how many bytes a piece has.
 *
 * @param piece The piece.
 */
function lengthOf(piece: Piece): number {
  return piece instanceof Uint8Array ? piece.length : piece[1] - piece[0] + 1;
}

/**
 * Reads the pieces of a file into one array.
 *
 * @param handle The open file.
 * @param pieces What is read.
 * @param isRecent Whether the file was served a moment ago, and is read without waiting.
 * @returns The bytes; `undefined` when the file has become shorter.
 */
export async function readPieces(
  handle: Deno.FsFile,
  { list, length }: Pieces,
  isRecent: boolean,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const piece of list) {
    if (piece instanceof Uint8Array) {
      bytes.set(piece, at);
      at += piece.length;
      continue;
    }
    if (piece[0] > 0 || at > 0) handle.seekSync(piece[0], Deno.SeekMode.Start);
    for (const end = at + piece[1] - piece[0] + 1; at < end;) {
      const rest = bytes.subarray(at, end);
      const count = isRecent ? handle.readSync(rest) : await handle.read(rest);
      if (count === null) return undefined;
      at += count;
    }
  }
  return bytes;
}

// How much of all files together waits in memory to be sent.
//
// Large chunks are cheap: 10 MiB in chunks of 512 KiB take a fifth less processor time than in 64 KiB, and 1 MiB takes no
// less than that (64 clients, medians of 5). But a chunk stays in memory until its client has read it, and 200 clients
// that read slowly must not hold 100 MiB. So chunks grow while there is room for all, and are small when there is none.

const smallest = 64 << 10;
const largest = 512 << 10;
const budget = 16 << 20;

let held = 0;

/** The share of one file. */
class ChunkBudget {
  #chunk = 0;
  #size: number;

  /**
   * Creates a share that holds nothing.
   *
   * @param first The size of the first chunk.
   */
  constructor(first: number = smallest) {
    this.#size = Math.max(1, first);
  }

  /**
   * Gives the last chunk back, which the client has read, and asks for the next.
   *
   * @param wanted How many bytes are left to be sent.
   * @returns The size of the next chunk.
   */
  next(wanted: number): number {
    this.release();
    const size = Math.min(held + this.#size > budget ? smallest : this.#size, wanted);
    this.#size = Math.min(2 * this.#size, largest);
    this.#chunk = size;
    held += size;
    return size;
  }

  /** Gives back what is held. */
  release(): void {
    held -= this.#chunk;
    this.#chunk = 0;
  }
}

/** The pace of one response. */
export class Pace {
  /** How many bytes may be sent at once. */
  readonly burst: number;
  readonly #rate: number;
  #credit: number;
  #at: number;
  #wake: (() => void) | undefined = undefined;

  /**
   * Creates a pace; the first burst is free.
   *
   * @param rate How many bytes may be sent per second.
   * @param burst How many of them at once.
   */
  constructor(rate: number, burst: number = rate) {
    for (const value of [rate, burst]) {
      if (!(value > 0)) {
        throw new FrameworkError("FW_CONFIG", `Cannot limit the rate of a file: "${value}" is not a number above 0`);
      }
    }
    this.#rate = rate;
    this.burst = Math.max(1, Math.floor(burst));
    this.#credit = this.burst;
    this.#at = performance.now();
  }

  /**
   * Waits until so many bytes may be sent.
   *
   * @param count How many, at most a burst.
   */
  async wait(count: number): Promise<void> {
    const now = performance.now();
    this.#credit = Math.min(this.burst, this.#credit + (now - this.#at) * this.#rate / 1000) - count;
    this.#at = now;
    if (this.#credit >= 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, -this.#credit * 1000 / this.#rate);
    this.#wake = resolve;
    await promise;
    clearTimeout(timer);
  }

  /** Ends the waiting: the client has gone. */
  stop(): void {
    this.#wake?.();
  }
}
