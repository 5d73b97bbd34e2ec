/**
 * Short files that were sent a moment ago, kept in memory.
 *
 * A file that many clients ask for at once is then read once: what is left per request is to look whether it has
 * changed. Over a socket a file of 10 KiB takes 180 µs of processor time per request instead of 220
 * (tests/bench/static.ts).
 *
 * @module
 */

/** For how many milliseconds a file is kept. */
const moment = 1000;
/** How many bytes are kept of all files together. */
const mostBytes = 8 << 20;
const kept = new Map<string, KeptFile>();
let held = 0;

interface KeptFile {
  readonly tag: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly until: number;
}

/**
 * Returns the bytes of a file, if they are known and the file is the one that they were read from.
 *
 * @param path The file.
 * @param tag The tag that the file has now.
 * @returns The bytes, which are shared: a `Response` copies them, and a `Recorder` gets a copy.
 */
export function keptBytes(path: string, tag: string): Uint8Array<ArrayBuffer> | undefined {
  const file = kept.get(path);
  if (file === undefined) return undefined;
  // The time is a limit too: a change within a millisecond that keeps the size is not seen by the tag.
  if (file.tag === tag && file.until > performance.now()) return file.bytes;
  drop(path, file);
  return undefined;
}

/**
 * Keeps the bytes of a file for a moment.
 *
 * @param path The file.
 * @param tag The tag that it had when it was opened.
 * @param bytes All of its bytes.
 */
export function keepBytes(path: string, tag: string, bytes: Uint8Array<ArrayBuffer>): void {
  const before = kept.get(path);
  if (before !== undefined) drop(path, before);
  if (held + bytes.length > mostBytes) {
    kept.clear();
    held = 0;
  }
  held += bytes.length;
  kept.set(path, { tag, bytes, until: performance.now() + moment });
}

function drop(path: string, file: KeptFile): void {
  kept.delete(path);
  held -= file.bytes.length;
}
