/**
 * Uploads that are not whole yet: each is written under a hidden name beside its target, and none is left behind.
 *
 * @module
 */

import { join } from "node:path";

const partName = /^\.fw-[0-9a-f-]{36}\.part$/;
/** When a part that no upload of this process writes is taken for abandoned; a body takes less time by default. */
const oldAfter = 60 * 60_000;

const open = new Set<string>();
const sweptAt = new Map<string, number>();
let isWatching = false;

/**
 * Chooses the partName of a part. Until it is released, it is removed when the process exits: after a shutdown that
 * cuts uploads off, or at a second signal. What a crash leaves is swept later.
 *
 * @param folder The folder of the target.
 * @returns The path of the part.
 */
export function reservePart(folder: string): string {
  if (!isWatching) globalThis.addEventListener("unload", removeOpenParts);
  isWatching = true;
  const path = join(folder, `.fw-${crypto.randomUUID()}.part`);
  open.add(path);
  return path;
}

/**
 * Forgets a part that was renamed or removed.
 *
 * @param path The path of the part.
 */
export function releasePart(path: string): void {
  open.delete(path);
}

/**
 * Removes the parts that killed processes left in a folder, once they are old; at most once per hour and folder.
 *
 * @param folder The folder.
 */
export async function sweepParts(folder: string): Promise<void> {
  const now = performance.now();
  if (now - (sweptAt.get(folder) ?? -Infinity) < oldAfter) return;
  // Bounded, because a callback may partName a folder per upload.
  if (sweptAt.size >= 1000) sweptAt.clear();
  sweptAt.set(folder, now);
  try {
    for await (const entry of Deno.readDir(folder)) {
      if (entry.isFile && partName.test(entry.name)) await removeOld(join(folder, entry.name));
    }
  } catch {
    // What cannot be listed or removed now is tried again in an hour; the upload that came by has nothing to do with
    // it.
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
      // It was not created yet, or is gone already.
    }
  }
}
