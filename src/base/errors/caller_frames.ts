/**
 * Adds the stack frames of the caller to errors that do not contain them. Loaded on first use.
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

/** Replaces the frames of an error, which only show internal code. */
export function replaceFrames(error: Error, caller: CapturedStack): void {
  error.stack = `${error.name}: ${error.message}\n${framesOf(caller)}`;
}

/** Adds the caller's frames to a thrown error. */
export function appendFrames(error: unknown, caller: CapturedStack): void {
  if (error instanceof Error) error.stack = `${error.stack}\n${framesOf(caller)}`;
}
