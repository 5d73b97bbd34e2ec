/**
 * Password hashing in turn. A hash takes 40 to 100 ms of processor time by design, and nothing else runs meanwhile.
 *
 * A worker would keep the other requests from waiting, but needs permission to read its file, is lost in a compiled
 * program unless it is included by hand, and takes 100 ms and 20 MB to start. One hash at a time, with a turn for other
 * requests after each, bounds their wait to one hash as well.
 *
 * @module
 */

import { setImmediate } from "node:timers";
import { HTTPError } from "../base/errors.ts";

/** How many hashes may wait: beyond that, those who guess have the process do nothing else. */
const mostWaiting = 100;
let waiting = 0;
let last: Promise<unknown> = Promise.resolve();

/**
 * Computes a hash when those before it are done.
 *
 * @param work Computes it.
 * @returns What it returns; if too many wait, it fails with an `HTTPError` 503.
 */
export async function hashInTurn<T>(work: () => Promise<T>): Promise<T> {
  if (waiting >= mostWaiting) throw new HTTPError(503, "", { Code: "FW_AUTH" });
  waiting++;
  const before = last;
  const { promise, resolve } = Promise.withResolvers<void>();
  last = promise;
  try {
    await before;
    return await work();
  } finally {
    waiting--;
    setImmediate(resolve);
  }
}
