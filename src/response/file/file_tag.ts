/**
 * Entity tags of files.
 *
 * @module
 */

const mostHashes = 1024;
const hashes = new Map<string, string>();

/**
 * Returns the entity tag of a file: from its size, the time of its last change and its place on the disk. It is a
 * strong one, by which a client may go on with a download: a file that is replaced gets another place, and one that is
 * written to another time. Only a change within the same millisecond that keeps the size is not seen.
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
