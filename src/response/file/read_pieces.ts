/**
 * Reads short responses into memory.
 *
 * @module
 */

import type { Pieces } from "./file_pieces.ts";

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
