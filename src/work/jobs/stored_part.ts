/**
 * The parts of a job that the application provides, and its origin, as they are stored.
 *
 * The origin of a job is the trace in which it was added, and the values of the call that has added it. Both are stored
 * in one column: the `traceparent` header, and after a space the values.
 *
 * @module
 */

import { isThenable } from "../../base/async/thenable.ts";
import { encodeMarked } from "../../base/codec/stored.ts";
import { messageOf } from "../../base/errors/to_error.ts";
import { carriedText } from "../../core/context/carried.ts";
import { currentTrace } from "../../core/exchange/span.ts";

/**
 * Serializes the return value of a handler. If the value cannot be stored, the job has been done nevertheless and must
 * not run again, so the job is stored without a result and with the error.
 */
export function endingOf(result: unknown): { readonly Result: string | null; readonly Error?: string } {
  if (result === undefined) return { Result: null };
  try {
    return { Result: encodeMarked(result, { act: "store the result", root: "Result", code: "FW_JOB" }) };
  } catch (error) {
    return { Result: null, Error: messageOf(error) };
  }
}

/**
 * Returns the origin of a job that is added now.
 *
 * @returns The text to store, or a promise if a value is asynchronous.
 * @throws {FrameworkError} If a value of the call cannot be carried.
 */
export function currentOrigin(): string | null | Promise<string | null> {
  const trace = currentTrace();
  const origin = (values: string) => values === "" ? trace : `${trace ?? ""} ${values}`;
  const values = carriedText();
  return isThenable(values) ? values.then(origin) : origin(values);
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
