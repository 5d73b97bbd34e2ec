/**
 * Frees the path of a Unix socket and removes the socket afterwards.
 *
 * @module
 */

import { FrameworkError } from "../../base/errors/errors.ts";

/**
 * Removes a socket file that a dead server has left behind. Throws if the path is in use.
 *
 * @param path The file name of the socket.
 */
export async function freeSocket(path: string): Promise<void> {
  let found: Deno.FileInfo;
  try {
    found = await Deno.lstat(path);
  } catch {
    // The file does not exist or is not accessible. If this is a problem, the attempt to listen will report it.
    return;
  }
  if (found.isSocket !== true) {
    throw taken(path, "the file exists and is not a socket; remove it or choose another path");
  }
  if (await isAlive(path)) {
    throw taken(path, "another server is using it; stop that server or choose another path");
  }
  try {
    await Deno.remove(path);
  } catch (error) {
    // If two servers start at the same time, both find the dead socket, and the first one removes it.
    if (!(error instanceof Deno.errors.NotFound)) {
      throw taken(path, "the socket of a dead server cannot be removed", error);
    }
  }
}

/**
 * Remembers the identity of a listening socket's file.
 *
 * @param path The file name of the socket.
 * @returns A function that removes the file, unless another server has replaced it.
 */
export function ownSocket(path: string): () => void {
  const own = inode(path);
  return function removeSocket(): void {
    if (own === undefined || inode(path) !== own) return;
    try {
      Deno.removeSync(path);
    } catch {
      // The file has already been removed.
    }
  };
}

async function isAlive(path: string): Promise<boolean> {
  try {
    const connection = await Deno.connect({ transport: "unix", path });
    connection.close();
    return true;
  } catch (error) {
    // A socket without a process refuses connections. Any other outcome means that a process is using it.
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
