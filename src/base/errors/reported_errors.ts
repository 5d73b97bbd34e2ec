/**
 * Tracks errors that have already been logged, so that the server does not log them a second time without the request
 * details.
 *
 * @module
 */

const reported = new WeakSet<Error>();

/** Marks an error as logged. */
export function markReported(error: Error): void {
  reported.add(error);
}

/** Reports whether an error has been logged. */
export function isReported(error: unknown): boolean {
  return error instanceof Error && reported.has(error);
}
