/**
 * Failures of a backplane.
 *
 * @module
 */

import { HTTPError } from "../errors/errors.ts";
import type { Awaitable } from "../store/store.ts";

/**
 * Returns the result of a backplane. If the backplane cannot be reached, the request or event fails with 503.
 *
 * @param call Calls the backplane.
 * @param message The message for clients.
 * @param report Called with the cause.
 */
export async function available<T>(
  call: () => Awaitable<T>,
  message: string,
  report: (cause: unknown) => void,
): Promise<T> {
  try {
    return await call();
  } catch (cause) {
    report(cause);
    throw new HTTPError(503, message, { cause, Code: "FW_LIVE" });
  }
}
