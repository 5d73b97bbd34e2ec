/**
 * Incomplete uploads. Each one is written under a hidden name next to its target, and none is left behind.
 *
 * @module
 */

import { join } from "node:path";
import { RecentMap } from "../../data/recent_map.ts";

const partName = /^\.fw-[0-9a-f-]{36}\.part$/;
/**
 * The age at which a part that this process is not writing is considered abandoned. By default, receiving a body takes
 * less time.
 */
const oldAfter = 60 * 60_000;

const open = new Set<string>();
/** The recently cleaned folders. The map is limited, because a callback may use a new folder for each upload. */
const swept = new RecentMap<true>({ most: 1000, lifetime: oldAfter });
let isWatching = false;

/**
 * Reserves the name of a part. Unless it is released, the part is removed when the process exits, after a shutdown that
 * aborts uploads or on a second signal. Parts left by a crash are removed later.
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
 * Releases a part that was renamed or removed.
 *
 * @param path The part's path.
 */
export function releasePart(path: string): void {
  open.delete(path);
}

/**
 * Removes old parts that killed processes left in a folder, at most once per hour and folder.
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
    // Files that cannot be listed or removed now are tried again in an hour. The current upload is not affected.
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
      // The part was not created yet, or has already been removed.
    }
  }
}
