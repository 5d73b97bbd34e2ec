/**
 * The origin of a job: the trace in which it was added, and the values of the call that has added it.
 *
 * Both are stored in one column: the `traceparent` header, and after a space the values.
 *
 * @module
 */

import { isThenable } from "../async/thenable.ts";
import { carriedText } from "../context/carried.ts";
import { currentTrace } from "../exchange/span.ts";

/**
 * Returns the origin of a job that is added now.
 *
 * @returns The text to store, or a promise if a value is asynchronous.
 * @throws {FrameworkError} If a value of the call cannot be carried.
 */
export function currentOrigin(): string | null | Promise<string | null> {
  const trace = currentTrace();
  const values = carriedText();
  return isThenable(values) ? values.then((text) => origin(trace, text)) : origin(trace, values);
}

function origin(trace: string | null, values: string): string | null {
  return values === "" ? trace : `${trace ?? ""} ${values}`;
}

/** Returns the trace of a stored origin. */
export function traceOf(text: string | null): string | null {
  return text?.split(" ", 1)[0] || null;
}

/** Returns the values of a stored origin, or an empty string if there are none. */
export function valuesOf(text: string | null): string {
  const at = text?.indexOf(" ") ?? -1;
  return at < 0 ? "" : (text as string).slice(at + 1);
}
