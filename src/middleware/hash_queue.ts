/**
 * Computes password hashes one at a time. A hash takes 40 to 100 ms of CPU time by design and blocks the event loop.
 *
 * A worker would avoid blocking, but it needs read permission for its file, is missing from compiled programs unless it
 * is included explicitly, and takes 100 ms and 20 MB to start. Instead, hashes are computed one at a time and other
 * requests run in between, so that no request waits for more than one hash.
 *
 * @module
 */

import { setImmediate } from "node:timers";
import { HTTPError } from "../errors/errors.ts";

/**
 * The maximum number of waiting hashes. Without a limit, an attacker who guesses passwords could keep the process busy
 * with hashing.
 */
const mostWaiting = 100;
let waiting = 0;
let last: Promise<unknown> = Promise.resolve();

/**
 * Computes a hash after all previous ones.
 *
 * @param work The function that computes the hash.
 * @returns The result of the function.
 * @throws {HTTPError} With status 503 if too many hashes are waiting.
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
