/**
 * The pieces of a file response: the whole file, one range, or several ranges in multipart format.
 *
 * @module
 */

import type { ByteRange } from "../../headers/range.ts";

/** A part of a response: either a range of the file or the bytes between two ranges. */
export type Piece = ByteRange | Uint8Array<ArrayBuffer>;

/** The pieces of a response. */
export interface Pieces {
  readonly list: readonly Piece[];
  /** The total length, in bytes. */
  readonly length: number;
  /** The content type for several ranges, or `undefined` to use the file's own type. */
  readonly type?: string;
}

const encoder = new TextEncoder();

/**
 * Returns the pieces of a response with the whole file.
 *
 * @param size The file size, in bytes.
 */
export function wholePieces(size: number): Pieces {
  return { list: size === 0 ? [] : [[0, size - 1]], length: size };
}

/**
 * Returns the pieces of a response with ranges of a file (RFC 9110, section 14.6).
 *
 * @param ranges The requested ranges.
 * @param size The file size, in bytes.
 * @param type The file's content type.
 */
export function partPieces(ranges: readonly ByteRange[], size: number, type: string): Pieces {
  const [only] = ranges;
  if (only !== undefined && ranges.length === 1) return { list: ranges, length: lengthOf(only) };
  // The boundary is random, so that it does not occur in any file.
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
 * Returns the `Content-Range` header value for a range.
 *
 * @param range The range.
 * @param size The file size, in bytes.
 */
export function contentRange([first, last]: ByteRange, size: number): string {
  return `bytes ${first}-${last}/${size}`;
}

/**
 * Returns the length of a piece, in bytes.
 *
 * @param piece The piece to measure.
 */
export function lengthOf(piece: Piece): number {
  return piece instanceof Uint8Array ? piece.length : piece[1] - piece[0] + 1;
}

/**
 * Reads the pieces of a file into one array.
 *
 * @param handle The open file.
 * @param pieces The pieces to read.
 * @param isRecent Whether the file was served recently and can be read synchronously.
 * @returns The bytes, or `undefined` if the file has become shorter.
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
