/**
 * What a response holds of a file: all of it, a part, or several parts with lines between them.
 *
 * @module
 */

import type { ByteRange } from "../../http/range.ts";

/** A piece of a response: bytes of the file, or bytes between them. */
export type Piece = ByteRange | Uint8Array<ArrayBuffer>;

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
export function lengthOf(piece: Piece): number {
  return piece instanceof Uint8Array ? piece.length : piece[1] - piece[0] + 1;
}
