/**
 * Tracks recently served files.
 *
 * The operating system still has the metadata of such a file in memory, so it can be accessed synchronously:
 * `Deno.openSync` and `close` take 7 µs together, compared to 23 µs with `Deno.open`, and `Deno.statSync` takes 5 µs,
 * compared to 60 µs for `Deno.stat`. Other files may be on a slow disk and are accessed asynchronously.
 *
 * @module
 */

const moment = 1000;
const mostSeen = 4096;
const seen = new Map<string, number>();

/**
 * Reports whether a file was served recently.
 *
 * @param path The file's path.
 */
export function isRecent(path: string): boolean {
  const until = seen.get(path);
  return until !== undefined && until > performance.now();
}

/**
 * Records that a file is being served.
 *
 * @param path The file's path.
 */
export function noteRecent(path: string): void {
  if (seen.size >= mostSeen) seen.clear();
  seen.set(path, performance.now() + moment);
}
