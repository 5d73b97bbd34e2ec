/**
 * Tracks recently served files.
 *
 * The operating system still has the metadata of such a file in memory, so it can be accessed synchronously.
 * `Deno.openSync` and `close` take 7 µs together, compared to 23 µs with `Deno.open`. `Deno.statSync` takes 5 µs,
 * compared to 60 µs for `Deno.stat`. Other files may be on a slow disk and are accessed asynchronously.
 *
 * @module
 */

import { RecentMap } from "../../../base/data/recent_map.ts";

const moment = 1000;
const mostSeen = 4096;
const seen = new RecentMap<true>({ most: mostSeen, lifetime: moment });

/**
 * Reports whether a file was served recently.
 *
 * @param path The file's path.
 */
export function isRecent(path: string): boolean {
  return seen.get(path) !== undefined;
}

/**
 * Records that a file is being served.
 *
 * @param path The file's path.
 */
export function noteRecent(path: string): void {
  seen.set(path, true);
}
