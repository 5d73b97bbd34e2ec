/**
 * Tells why a server could not start, or not go on.
 *
 * @module
 */

import { FrameworkError } from "../base/errors.ts";

/**
 * Says on standard error why a server could not start or go on, in one line without a stack, and has the process end
 * with code 1.
 * It does not end the process itself: the caller may have something to close.
 *
 * @param error What was thrown. Anything but fw's own errors is a bug and is shown with its stack.
 * @returns The error.
 */
export function reportFailure(error: unknown): Error {
  Deno.exitCode = 1;
  const text = error instanceof FrameworkError ? error.message : Deno.inspect(error);
  Deno.stderr.writeSync(new TextEncoder().encode(`${text}\n`));
  return error instanceof Error ? error : new Error("Cannot start the server", { cause: error });
}
