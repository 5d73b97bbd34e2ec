/**
 * Incomplete uploads. Each one is written to a hidden file next to its target and is removed if the upload fails.
 *
 * @module
 */

import { join } from "node:path";
import { RecentMap } from "../../data/recent_map.ts";

const partName = /^\.fw-[0-9a-f-]{36}\.part$/;
/**
 * The age at which a partial file is considered abandoned if this process is not writing it. With the default settings,
 * receiving a body takes less time.
 */
const oldAfter = 60 * 60_000;

const open = new Set<string>();
/** The recently cleaned folders. The map is limited, because a callback may use a new folder for each upload. */
const swept = new RecentMap<true>({ most: 1000, lifetime: oldAfter });
let isWatching = false;

/**
 * Reserves the name of a partial file. Unless the name is released, the file is removed when the process exits, after a
 * shutdown that aborts uploads or after a second signal. Partial files left by a crash are removed later.
 *
 * @param folder The target's folder.
 * @returns The part's path.
 */
export function reservePart(folder: string): string {
  if (!isWatching) globalThis.addEventListener("unload", removeOpenParts);
  isWatching = true;
  const path = join(folder, `.fw-${crypto.randomUUID()}.part`);
  open.add(path);
  return path;
}

/**
 * Releases a partial file that was renamed or removed.
 *
 * @param path The part's path.
 */
export function releasePart(path: string): void {
  open.delete(path);
}

/**
 * Removes old partial files that killed processes have left in a folder. Runs at most once per hour and folder.
 *
 * @param folder The folder to clean up.
 */
export async function sweepParts(folder: string): Promise<void> {
  if (swept.get(folder) !== undefined) return;
  swept.set(folder, true);
  try {
    for await (const entry of Deno.readDir(folder)) {
      if (entry.isFile && partName.test(entry.name)) await removeOld(join(folder, entry.name));
    }
  } catch {
    // Files that cannot be listed or removed now are tried again in an hour. This does not affect the current upload.
  }
}

async function removeOld(path: string): Promise<void> {
  if (open.has(path)) return;
  const { mtime } = await Deno.lstat(path);
  if (mtime !== null && Date.now() - mtime.getTime() > oldAfter) await Deno.remove(path);
}

function removeOpenParts(): void {
  for (const path of open) {
    try {
      Deno.removeSync(path);
    } catch {
      // The file has not been created yet or has already been removed.
    }
  }
}
