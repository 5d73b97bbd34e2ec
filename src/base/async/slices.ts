/**
 * Long work in slices, between which the event loop handles other events, such as requests.
 *
 * @module
 */

/** The duration after which the event loop gets a turn, in milliseconds. */
const longest = 10;

/** Waits until the event loop has handled the events that have arrived. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve));
}

/**
 * Calls a function for each item, one after another.
 *
 * @param items The items.
 * @param work The function. The next item waits for its promise.
 */
export async function inSlices<T>(items: Iterable<T>, work: (item: T) => unknown): Promise<void> {
  let start = performance.now();
  for (const item of items) {
    await work(item);
    if (performance.now() - start < longest) continue;
    await nextTurn();
    start = performance.now();
  }
}

/**
 * Repeats work on a number of rows until there are fewer rows than that.
 *
 * @param most The maximum number of rows per slice. A slice that takes too long makes the next one shorter.
 * @param work Handles up to the given number of rows, and returns the number of handled rows.
 */
export async function repeatInSlices(most: number, work: (count: number) => number | Promise<number>): Promise<void> {
  for (let count = most;;) {
    const start = performance.now();
    if (await work(count) < count) return;
    count = performance.now() - start > longest ? Math.max(1, count >> 1) : Math.min(most, count * 2);
    await nextTurn();
  }
}
