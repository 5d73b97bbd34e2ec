/**
 * Files on the disk: opened, kept for a moment, and what is known of them, their type and their tag.
 *
 * @module
 */

import { contentType } from "@std/media-types/content-type";
import { extname } from "node:path";
import { FrameworkError, messageOf } from "../../base/errors.ts";
import { isAbsent } from "./folder.ts";
import { contentTypes } from "../../http/content_type.ts";

/**
 * Looks at a file without opening it: to open a pipe would wait for its other end.
 *
 * @param path The file.
 * @param isRecent Whether the file was served a moment ago.
 * @returns What the system knows of it; `undefined` when it is not there, or not a file.
 */
export function lookAt(path: string, isRecent: boolean): Promise<Deno.FileInfo | undefined> {
  return orAbsent(path, async () => {
    const info = isRecent ? Deno.statSync(path) : await Deno.stat(path);
    return info.isFile ? info : undefined;
  });
}

/**
 * Opens a file that was looked at.
 *
 * @param path The file.
 * @param isRecent Whether the file was served a moment ago.
 * @returns The open file; `undefined` when it has gone meanwhile.
 */
export function openFile(path: string, isRecent: boolean): Promise<Deno.FsFile | undefined> {
  return orAbsent(path, async () => isRecent ? Deno.openSync(path) : await Deno.open(path));
}

/**
 * Returns what the system knows of an open file.
 *
 * @param handle The open file.
 * @param path The file.
 */
export function infoOf(handle: Deno.FsFile, path: string): Deno.FileInfo {
  try {
    return handle.statSync();
  } catch {
    // Some versions of Deno cannot tell it of a file that is embedded in a binary, which never changes.
    return Deno.statSync(path);
  }
}

async function orAbsent<T>(path: string, work: () => Promise<T | undefined>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw new FrameworkError("FW_FILE", `Cannot serve the file "${path}": ${messageOf(error)}`, { cause: error });
  }
}

// Short files that were sent a moment ago, kept in memory.
//
// A file that many clients ask for at once is then read once: what is left per request is to look whether it has changed.
// Over a socket a file of 10 KiB takes 180 µs of processor time per request instead of 220 (tests/bench/static.ts).

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
 * Reports whether something of a file is kept; it may have changed since.
 *
 * @param path The file.
 */
export function isKept(path: string): boolean {
  return kept.has(path);
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

// Which files were served a moment ago.
//
// What the system knows of such a file is still in its memory, so that it can be asked without waiting: `Deno.openSync`
// and `close` take 7 µs together, with `Deno.open` 23 µs; `Deno.statSync` takes 5 µs, `Deno.stat` 60 µs. A file that was
// not asked for lately may lie on a slow disk, and is waited for.

const mostSeen = 4096;
const seen = new Map<string, number>();

/**
 * Reports whether a file was served a moment ago.
 *
 * @param path The file.
 */
export function isRecent(path: string): boolean {
  const until = seen.get(path);
  return until !== undefined && until > performance.now();
}

/**
 * Notes that a file is served.
 *
 * @param path The file.
 */
export function noteRecent(path: string): void {
  if (seen.size >= mostSeen) seen.clear();
  seen.set(path, performance.now() + moment);
}

const mostHashes = 1024;
const hashes = new Map<string, string>();

/**
 * Returns the entity tag of a file: from its size, the time of its last change and its place on the disk. It is a strong
 * one, by which a client may go on with a download: a file that is replaced gets another place, and one that is written
 * to another time. Only a change within the same millisecond that keeps the size is not seen.
 *
 * @param path The file.
 * @param info What the system knows of it.
 * @returns The tag; a promise only for a file without a time, which is one that was embedded in a binary.
 */
export function fileTag(path: string, info: Deno.FileInfo): string | Promise<string> {
  const { mtime, size, ino } = info;
  if (mtime === null) return hashTag(path, size);
  const place = ino === null || ino === 0 ? "" : `-${mixed(ino, mtime.getTime()).toString(36)}`;
  return `"${size.toString(36)}-${mtime.getTime().toString(36)}${place}"`;
}

/**
 * Twenty bits of where a file lies: enough to tell two files of one size and one moment apart, and too few to tell a
 * stranger the number of the file on its disk.
 */
function mixed(ino: number, moment: number): number {
  let bits = Math.imul(ino ^ Math.floor(ino / 2 ** 32) ^ moment, 0x9e3779b1);
  bits = Math.imul(bits ^ (bits >>> 15), 0x85ebca6b);
  return (bits ^ (bits >>> 13)) >>> 12;
}

/** A tag of the content. What is embedded never changes, so it is computed once. */
async function hashTag(path: string, size: number): Promise<string> {
  const key = `${path}\0${size}`;
  const known = hashes.get(key);
  if (known !== undefined) return known;
  const digest = await crypto.subtle.digest("SHA-256", await Deno.readFile(path));
  const tag = `"${size.toString(36)}-${new Uint8Array(digest, 0, 12).toHex()}"`;
  if (hashes.size >= mostHashes) hashes.clear();
  hashes.set(key, tag);
  return tag;
}

/** As many as there are extensions in use; the names of files may come from clients. */
const mostTypes = 256;
const known = new Map<string, string>();

/**
 * Returns the content type of a file, by its extension.
 *
 * @param path The file.
 * @returns The type; `application/octet-stream` where the extension does not tell it.
 */
export function fileType(path: string): string {
  const extension = extname(path);
  const found = known.get(extension);
  if (found !== undefined) return found;
  const type = contentType(extension) ?? contentTypes.bytes;
  if (known.size < mostTypes) known.set(extension, type);
  return type;
}
