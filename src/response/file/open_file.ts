/**
 * Files on the disk: looked at and opened, or found absent.
 *
 * @module
 */

import { FrameworkError, HTTPError } from "../../base/errors.ts";
import { messageOf } from "../../base/to_error.ts";

/** The folder that a file must lie in, asked anew each time: a link may have taken its place a moment ago. */
export interface Bounds {
  /** The path without links; `undefined` if it leads out of the folder. */
  realPath(path: string): Promise<string | undefined>;
  /** The same without waiting, for a path that was used a moment ago. */
  realPathSync(path: string): string | undefined;
}

/** A file that is asked for. */
export interface Asked {
  readonly path: string;
  /** The folder that it must lie in; `undefined` for a path that the program itself chose. */
  readonly bounds: Bounds | undefined;
  /** Whether the file was served a moment ago. */
  readonly isHot: boolean;
}

/**
 * Looks at a file without opening it: to open a pipe would wait for its other end.
 *
 * @param asked The file.
 * @returns What the system knows of it; `undefined` when it is not there, or not a file.
 */
export function lookAt({ path, bounds, isHot }: Asked): Promise<Deno.FileInfo | undefined> {
  return orAbsent(path, async () => {
    if (bounds === undefined) return fileOnly(isHot ? Deno.statSync(path) : await Deno.stat(path));
    const real = isHot ? bounds.realPathSync(path) : await bounds.realPath(path);
    if (real === undefined) return undefined;
    return fileOnly(isHot ? Deno.lstatSync(real) : await Deno.lstat(real));
  });
}

/**
 * Opens a file that was looked at. Always in the background: if a pipe has taken its name meanwhile, opening it waits
 * for as long as no one writes to it, and the whole process would wait with it.
 *
 * @param asked The file.
 * @returns The open file; `undefined` when it has gone meanwhile, or something else has taken its place.
 */
export function openFile({ path, bounds }: Asked): Promise<Deno.FsFile | undefined> {
  return orAbsent(path, async () => {
    const handle = await Deno.open(path);
    if (bounds === undefined || isInside(handle, path, bounds)) return handle;
    handle.close();
    return undefined;
  });
}

/** Reports whether an open file is the one that its path leads to within its bounds. */
function isInside(handle: Deno.FsFile, path: string, bounds: Bounds): boolean {
  try {
    const real = bounds.realPathSync(path);
    if (real === undefined) return false;
    const [opened, found] = [infoOf(handle, path), Deno.lstatSync(real)];
    // A file that is embedded in a binary has neither a time nor a number, and cannot be replaced.
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
    // The file exists and its owner keeps it from the program, as nginx and Apache say it.
    if (isForbidden(error)) throw new HTTPError(403, "", { cause: error, Code: "FW_FILE" });
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

/**
 * Reports whether an error says that the system does not let the program read something. That Deno does not is another
 * error, since its permissions are the program's own mistake.
 *
 * @param error What the platform threw.
 */
export function isForbidden(error: unknown): boolean {
  return error instanceof Deno.errors.PermissionDenied;
}
