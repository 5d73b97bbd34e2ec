/**
 * Entity tags for files.
 *
 * @module
 */

import { RecentMap } from "../../data/recent_map.ts";

const mostHashes = 1024;
const hashes = new RecentMap<string>({ most: mostHashes });

/**
 * Returns a file's entity tag, computed from its size, modification time and inode. Clients can use the tag to resume a
 * download, because it is strong: a replaced file has another inode, and a modified one has another time. The only
 * change it cannot detect is one that happens within the same millisecond and keeps the size.
 *
 * @param path The file's path.
 * @param info The file's information.
 * @returns The tag. It is a promise only for files without a modification time, which are files embedded in a binary.
 */
export function fileTag(path: string, info: Deno.FileInfo): string | Promise<string> {
  const { mtime, size, ino } = info;
  if (mtime === null) return hashTag(path, size);
  const place = ino === null || ino === 0 ? "" : `-${mixed(ino, mtime.getTime()).toString(36)}`;
  return `"${size.toString(36)}-${mtime.getTime().toString(36)}${place}"`;
}

/**
 * Returns twenty bits derived from the inode. This is enough to distinguish two files with the same size and time but
 * does not reveal the inode number.
 */
function mixed(ino: number, moment: number): number {
  let bits = Math.imul(ino ^ Math.floor(ino / 2 ** 32) ^ moment, 0x9e3779b1);
  bits = Math.imul(bits ^ (bits >>> 15), 0x85ebca6b);
  return (bits ^ (bits >>> 13)) >>> 12;
}

/** Returns a tag based on the content. Embedded files never change, so the tag is computed once. */
async function hashTag(path: string, size: number): Promise<string> {
  const key = `${path}\0${size}`;
  const known = hashes.get(key);
  if (known !== undefined) return known;
  const digest = await crypto.subtle.digest("SHA-256", await Deno.readFile(path));
  const tag = `"${size.toString(36)}-${new Uint8Array(digest, 0, 12).toHex()}"`;
  hashes.set(key, tag);
  return tag;
}
