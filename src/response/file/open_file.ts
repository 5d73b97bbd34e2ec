/**
 * Files on the disk: looked at and opened, or found absent.
 *
 * @module
 */

import { FrameworkError } from "../../base/errors.ts";
import { messageOf } from "../../base/to_error.ts";

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

const codes: ReadonlySet<string> = new Set(["ENOENT", "ENOTDIR", "ELOOP", "ENAMETOOLONG", "EINVAL"]);

/**
 * Reports whether an error says that there is no such file, or could be none of that name: a client may have made it
 * up.
 *
 * @param error What the platform threw.
 */
export function isAbsent(error: unknown): boolean {
  if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory) return true;
  return error instanceof Error && "code" in error && codes.has(String(error.code));
}
