/**
 * Reports why a server could not start or failed.
 *
 * @module
 */

import { FrameworkError } from "../../base/errors/errors.ts";
import { codedMessage } from "../../base/errors/to_error.ts";

/**
 * Prints the reason why a server could not start or failed to standard error and sets exit code 1. The message is one
 * line with the error code and without a stack trace. The process does not exit yet, because there may be resources to
 * release.
 *
 * @param error The thrown value. If it is not one of fw's errors, it is a bug in fw and is printed with its stack
 * trace.
 */
export function reportFailure(error: unknown): void {
  Deno.exitCode = 1;
  const text = error instanceof FrameworkError ? codedMessage(error) : Deno.inspect(error);
  Deno.stderr.writeSync(new TextEncoder().encode(`${text}\n`));
}
