/**
 * Inspects and opens files on disk.
 *
 * @module
 */

import { FrameworkError, HTTPError } from "../../../base/errors/errors.ts";
import { messageOf } from "../../../base/errors/to_error.ts";
import { hasTrueNames } from "./true_names.ts";

/**
 * The folder that must contain a file. It is checked for each request, because the file may have been replaced with a
 * symbolic link.
 */
export interface Bounds {
  /** Returns the path with symbolic links resolved, or `undefined` if it resolves outside the folder. */
  realPath(path: string): Promise<string | undefined>;
  /** Synchronous version of `realPath`, for recently used paths. */
  realPathSync(path: string): string | undefined;
}

/** A requested file. */
export interface Asked {
  readonly path: string;
  /** The folder that must contain the file, or `undefined` if the path was chosen by the program. */
  readonly bounds: Bounds | undefined;
  /** Whether the file was served recently. */
  readonly isHot: boolean;
}

/**
 * Inspects a file without opening it. Opening a pipe would wait until another process opens its other end.
 *
 * @param asked The requested file.
 * @returns The file information, or `undefined` if the path does not exist or is not a file.
 */
export function statFile({ path, bounds, isHot }: Asked): Promise<Deno.FileInfo | undefined> {
  return orAbsent(path, async () => {
    if (bounds === undefined) {
      const info = fileOnly(isHot ? Deno.statSync(path) : await Deno.stat(path));
      return info !== undefined && await hasTrueNames(path) ? info : undefined;
    }
    const real = isHot ? bounds.realPathSync(path) : await bounds.realPath(path);
    if (real === undefined) return undefined;
    return fileOnly(isHot ? Deno.lstatSync(real) : await Deno.lstat(real));
  });
}

/**
 * Opens a file after it was inspected. The function is always asynchronous: if the file has been replaced with a pipe,
 * opening it waits for a writer, which would block the whole process.
 *
 * @param asked The requested file.
 * @returns The open file, or `undefined` if it no longer exists or has been replaced.
 */
export function openFile({ path, bounds }: Asked): Promise<Deno.FsFile | undefined> {
  return orAbsent(path, async () => {
    const handle = await Deno.open(path);
    if (bounds === undefined || isInside(handle, path, bounds)) return handle;
    handle.close();
    return undefined;
  });
}

/** Reports whether an open file is the one at its path and the path is still within the folder. */
function isInside(handle: Deno.FsFile, path: string, bounds: Bounds): boolean {
  try {
    const real = bounds.realPathSync(path);
    if (real === undefined) return false;
    const [opened, found] = [infoOf(handle, path), Deno.lstatSync(real)];
    // A file embedded in a binary has no modification time or inode and cannot be replaced.
    return found.isFile && (found.mtime === null || (opened.ino === found.ino && opened.dev === found.dev));
  } catch (error) {
    if (isAbsent(error)) return false;
    throw error;
  }
}

function fileOnly(info: Deno.FileInfo): Deno.FileInfo | undefined {
  return info.isFile ? info : undefined;
}

/**
 * Returns the information about an open file.
 *
 * @param handle The open file.
 * @param path The file's path.
 */
export function infoOf(handle: Deno.FsFile, path: string): Deno.FileInfo {
  try {
    return handle.statSync();
  } catch {
    // Some Deno versions do not support this for files embedded in a binary. Such files never change.
    return Deno.statSync(path);
  }
}

async function orAbsent<T>(path: string, work: () => Promise<T | undefined>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (isAbsent(error)) return undefined;
    // The file exists, but its permissions deny access. nginx and Apache also respond with 403.
    if (isForbidden(error)) throw new HTTPError(403, "", { cause: error, Code: "FW_FILE" });
    throw new FrameworkError("FW_FILE", `Cannot serve the file "${path}": ${messageOf(error)}`, { cause: error });
  }
}

const codes: ReadonlySet<string> = new Set(["ENOENT", "ENOTDIR", "ELOOP", "ENAMETOOLONG", "EINVAL"]);

/**
 * Reports whether an error means that a file does not exist or that its name is invalid. Clients can send arbitrary
 * names.
 *
 * @param error The error thrown by the platform.
 */
export function isAbsent(error: unknown): boolean {
  if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory) return true;
  return error instanceof Error && "code" in error && codes.has(String(error.code));
}

/**
 * Reports whether an error means that the operating system denies access. A missing Deno permission is reported
 * differently, because it is a mistake in the program.
 *
 * @param error The error thrown by the platform.
 */
export function isForbidden(error: unknown): boolean {
  return error instanceof Deno.errors.PermissionDenied;
}
