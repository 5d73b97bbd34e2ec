/**
 * Limits the memory used by reads that are still in flight when their request ends.
 *
 * @module
 */

/**
 * The maximum number of bytes that such reads may hold. Deno 2.8.3 to 2.9.5 never completes a read after its request
 * has a response (denoland/deno#36624), so each of them keeps its buffer and about 8 KB forever.
 */
const mostAbandoned = 32 << 20;
const costOfRead = 8 << 10;

let abandoned = 0;

/**
 * Abandons a read if the memory limit allows it.
 *
 * @param reading The pending read.
 * @param held The size of the read's buffer, in bytes.
 * @returns `false` if the read must be awaited.
 */
export function mayAbandon(reading: Promise<unknown>, held: number): boolean {
  const cost = costOfRead + held;
  if (abandoned + cost > mostAbandoned) return false;
  abandoned += cost;
  const settle = () => void (abandoned -= cost);
  reading.then(settle, settle);
  return true;
}
