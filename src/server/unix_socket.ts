/**
 * Clears the path of a unix socket, and removes it afterwards.
 *
 * @module
 */

import { FrameworkError } from "../base/errors.ts";

/**
 * Removes the socket file that a dead server left behind; throws when the path is taken by anything else.
 *
 * @param path The socket's file name.
 */
export async function freeSocket(path: string): Promise<void> {
  let found: Deno.FileInfo;
  try {
    found = await Deno.lstat(path);
  } catch {
    // Nothing there, or not ours to see: listening will say what is wrong, if anything is.
    return;
  }
  if (found.isSocket !== true) {
    throw taken(path, "something that is not a socket is there, remove it or choose another path");
  }
  if (await isAlive(path)) {
    throw taken(path, "another server is using it, stop that server or choose another path");
  }
  try {
    await Deno.remove(path);
  } catch (error) {
    // Two servers that start at once both find the dead socket; the second need not remove it again.
    if (!(error instanceof Deno.errors.NotFound)) {
      throw taken(path, "the socket of a dead server is there and cannot be removed", error);
    }
  }
}

/**
 * Remembers which file a listening socket is.
 *
 * @param path The socket's file name.
 * @returns A function that removes the file, unless another server has put its own there since.
 */
export function ownSocket(path: string): () => void {
  const own = inode(path);
  return function removeSocket(): void {
    if (own === undefined || inode(path) !== own) return;
    try {
      Deno.removeSync(path);
    } catch {
      // Removed meanwhile: that is what was wanted.
    }
  };
}

async function isAlive(path: string): Promise<boolean> {
  try {
    const connection = await Deno.connect({ transport: "unix", path });
    connection.close();
    return true;
  } catch (error) {
    // A socket without a process refuses connections; any other outcome says that there is a process behind it.
    return !(error instanceof Deno.errors.ConnectionRefused || error instanceof Deno.errors.NotFound);
  }
}

function inode(path: string): string | undefined {
  try {
    const { dev, ino } = Deno.lstatSync(path);
    return `${dev}:${ino}`;
  } catch {
    return undefined;
  }
}

function taken(path: string, why: string, cause?: unknown): FrameworkError {
  return new FrameworkError("FW_LISTEN", `Cannot listen on unix socket "${path}": ${why}`, { cause });
}
