/**
 * Reopens a listener that failed while its server was running. If there are no file descriptors left, the system
 * refuses to accept connections, and Deno closes the listener.
 *
 * @module
 */

import { FrameworkError } from "../../base/errors/errors.ts";
import { type Endpoint, openEndpoint, type Wiring } from "./endpoint.ts";
import type { Runner } from "./runner.ts";
import { sleep } from "./wait.ts";

// The attempts take 6.3 s in total. If the port or the descriptors are still in use after that, they are unlikely to be
// released.
const WAITS_MS: readonly number[] = [100, 200, 400, 800, 1_600, 3_200];

/**
 * Opens an endpoint, with retries.
 *
 * @param runner The exact address of the listener that failed.
 * @param wiring The options for `Deno.serve`.
 * @param isWanted Reports whether the server is still running. Called before each attempt.
 * @returns The endpoint, `undefined` if it is no longer wanted, or the error of the last attempt.
 */
export async function reopen(
  runner: Runner,
  wiring: Wiring,
  isWanted: () => boolean,
): Promise<Endpoint | FrameworkError | undefined> {
  let last: unknown;
  for (const wait of WAITS_MS) {
    await sleep(wait);
    if (!isWanted()) return undefined;
    try {
      return await openEndpoint(runner, wiring);
    } catch (error) {
      last = error;
    }
  }
  return last instanceof FrameworkError
    ? last
    : new FrameworkError("FW_LISTEN", "Cannot reopen the listener", { cause: last });
}
