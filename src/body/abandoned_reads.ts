/**
 * The memory of reads that are left in flight when their request ends.
 *
 * @module
 */

/**
 * How many bytes such reads may hold. Deno 2.8.3 to 2.9.5 never ends a read whose request has its response
 * (denoland/deno#36624), so each keeps its buffer and some 8 KB for good.
 */
const mostAbandoned = 32 << 20;
const costOfRead = 8 << 10;

let abandoned = 0;

/**
 * Leaves a read behind, if there is room for it.
 *
 * @param reading The read.
 * @param held The size of its buffer.
 * @returns False if it must be waited for.
 */
export function mayLeaveBehind(reading: Promise<unknown>, held: number): boolean {
  const cost = costOfRead + held;
  if (abandoned + cost > mostAbandoned) return false;
  abandoned += cost;
  const settle = () => void (abandoned -= cost);
  reading.then(settle, settle);
  return true;
}
