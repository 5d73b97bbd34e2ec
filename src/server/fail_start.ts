/**
 * Ends a program that could not start.
 *
 * @module
 */

import { FrameworkError } from "../base/errors.ts";

/**
 * Says why a server could not start, in one line without a stack, and ends the process with code 1.
 *
 * @param error What `serve` threw. Anything but fw's own errors is a bug and is thrown again, with its stack.
 */
export function failStart(error: unknown): never {
  if (!(error instanceof FrameworkError)) throw error;
  Deno.stderr.writeSync(new TextEncoder().encode(`${error.message}\n`));
  Deno.exit(1);
}
