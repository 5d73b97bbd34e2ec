/**
 * The parts of a job that the application provides, as they are stored.
 *
 * @module
 */

import { decodeMarked, encodeMarked } from "../../base/codec/stored.ts";
import { messageOf } from "../../base/errors/to_error.ts";

/**
 * Serializes a part of a job.
 *
 * @param part The name of the part, for messages.
 * @param value The value.
 * @param act The failed action, for messages.
 * @throws {FrameworkError} If a part of the value cannot be stored.
 */
export function encodePart(part: "Data" | "Progress" | "Result", value: unknown, act: string): string {
  return encodeMarked(value, { act, root: part, code: "FW_JOB" });
}

/** Restores a part of a job. A part that does not exist is `null`. */
export function readPart(text: string | null): unknown {
  return text === null ? null : decodeMarked(text);
}

/**
 * Serializes the return value of a handler. If the value cannot be stored, the job has been done nevertheless and must
 * not run again, so the job is stored without a result and with the error.
 */
export function endingOf(result: unknown): { readonly Result: string | null; readonly Error?: string } {
  if (result === undefined) return { Result: null };
  try {
    return { Result: encodePart("Result", result, "store the result") };
  } catch (error) {
    return { Result: null, Error: messageOf(error) };
  }
}
