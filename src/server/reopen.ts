/**
 * Opens a listener again that broke while its server ran: with no file descriptor left, the system refuses to accept
 * connections and Deno then closes the listener.
 *
 * @module
 */

import { FrameworkError } from "../base/errors.ts";
import { type Endpoint, openEndpoint, type Wiring } from "./endpoint.ts";
import type { Runner } from "./runner.ts";
import { sleep } from "./wait.ts";

// 6.3 s in all: whatever holds the port or the descriptors for longer than that is not going to let go.
const WAITS_MS: readonly number[] = [100, 200, 400, 800, 1_600, 3_200];

/**
 * Opens an endpoint, with patience.
 *
 * @param runner What to listen on: the very address that broke.
 * @param wiring What to serve with.
 * @param isWanted Whether the server still runs; asked before each attempt.
 * @returns The endpoint, `undefined` if it is not wanted any more, or the error of the last attempt.
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
    : new FrameworkError("FW_LISTEN", "Cannot open the listener again", { cause: last });
}
