/**
 * Errors that the log has shown, so that the server does not show them again without their request.
 *
 * @module
 */

const reported = new WeakSet<Error>();

/** Notes that an error was reported. */
export function markReported(error: Error): void {
  reported.add(error);
}

/** Reports whether an error was reported. */
export function isReported(error: unknown): boolean {
  return error instanceof Error && reported.has(error);
}
