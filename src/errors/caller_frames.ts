/**
 * Adds a caller's stack frames to errors whose own stack trace does not reach the caller. Loaded on first use.
 *
 * @module
 */

/** An object that `Error.captureStackTrace` was called with. */
export interface CapturedStack {
  readonly stack?: string;
}

/** Returns the captured frames, one per line. */
export function framesOf({ stack = "" }: CapturedStack): string {
  return stack.slice(stack.indexOf("\n") + 1);
}

/** Replaces the frames of an error, which show only how fw found it. */
export function replaceFrames(error: Error, caller: CapturedStack): void {
  error.stack = `${error.name}: ${error.message}\n${framesOf(caller)}`;
}

/** Adds frames to a thrown error whose own frames end before the caller. */
export function appendFrames(error: unknown, caller: CapturedStack): void {
  if (error instanceof Error) error.stack = `${error.stack}\n${framesOf(caller)}`;
}
