/**
 * Computes password hashes. A hash takes 40 to 100 ms of CPU time by design, so it is computed in another thread. If no
 * thread can be started, hashes are computed one at a time in this thread, and other requests run in between.
 *
 * @module
 */

import { setImmediate } from "node:timers";
import { runShared } from "../async/async_context.ts";
import { loadModule } from "../async/lazy_module.ts";
import { HTTPError } from "../errors/errors.ts";
import type { HashJob } from "./hash_workers.ts";

/**
 * The maximum number of waiting hashes. Without a limit, an attacker who guesses passwords could keep the process busy
 * with hashing.
 */
const mostWaiting = 100;
/** The time after which a client may try again, in milliseconds. */
const RETRY_MS = 5_000;

let waiting = 0;
let last: Promise<unknown> = Promise.resolve();
let run: ((job: HashJob) => Promise<unknown>) | undefined;

/**
 * Computes a hash after the previous ones.
 *
 * @param job The function to call, and its options.
 * @returns The result of the function.
 * @throws {HTTPError} With status 503 and `Retry-After` if too many hashes are waiting.
 */
export async function computeHash<T>(job: HashJob): Promise<T> {
  if (waiting >= mostWaiting) throw new HTTPError(503, "", { Code: "FW_AUTH", RetryAfter: RETRY_MS });
  waiting++;
  try {
    // The threads serve all requests.
    return await runShared(async () => await (run ??= await loadThreads())(job)) as T;
  } finally {
    waiting--;
  }
}

async function loadThreads(): Promise<(job: HashJob) => Promise<unknown>> {
  const { HashThreads, NoThread } = await loadModule(() => import("./hash_workers.ts"));
  const threads = new HashThreads();
  return async (job) => {
    try {
      return await threads.run(job);
    } catch (error) {
      if (!(error instanceof NoThread)) throw error;
      run = hashHere;
      return await hashHere(job);
    }
  };
}

/** Computes a hash in this thread after all previous ones. */
async function hashHere({ name, options }: HashJob): Promise<unknown> {
  const before = last;
  const { promise, resolve } = Promise.withResolvers<void>();
  last = promise;
  try {
    await before;
    const hashes = await loadModule(() => import("npm:hash-wasm@^4"));
    return await (hashes[name] as (options: unknown) => Promise<unknown>)(options);
  } finally {
    setImmediate(resolve);
  }
}
