/**
 * How much of a request body is taken in, and the errors of a body that is too large or broken.
 *
 * @module
 */

import { HTTPError } from "../base/errors.ts";

/** What one request body may cost. */
export interface BodyLimits {
  /** How many bytes of files one form may hold in memory; what is over goes to disk. Fields: see `maxHeld`. */
  readonly PostMaxMemory: number;
  /** How many parts a multipart body may have, fields and files together. */
  readonly MaxParts: number;
  /** How many bytes the value of one multipart field may have. */
  readonly MaxFieldSize: number;
  /** How many bytes the headers of one part may have. */
  readonly MaxPartHeaderSize: number;
}

/** The limits of an application that sets none. */
export const defaultLimits: BodyLimits = {
  PostMaxMemory: 32 << 20,
  MaxParts: 1000,
  MaxFieldSize: 10 << 20,
  MaxPartHeaderSize: 16 << 10,
};

/**
 * How many bytes a request may hold in memory that cannot go to disk: all fields of a form, or a body read whole. That is
 * `PostMaxMemory`, but never less than one field may have: who sends all files to disk still wants to read the fields.
 *
 * @param limits The limits.
 * @returns The number of bytes.
 */
export function maxHeld(limits: BodyLimits): number {
  return Math.max(limits.PostMaxMemory, limits.MaxFieldSize);
}

/**
 * Makes the error of a body that is larger than allowed.
 *
 * @param act What was tried, such as `read the request body`.
 * @param state What was over which limit.
 * @returns The error, 413.
 */
export function tooLarge(act: string, state: string): HTTPError {
  return new HTTPError(413, `Cannot ${act}: ${state}`, { Code: "FW_LIMIT" });
}

/**
 * Makes the error of a body that is not what it claims to be.
 *
 * @param act What was tried, such as `read the multipart form`.
 * @param state What is wrong with it.
 * @param cause What the platform said; only the log sees it.
 * @returns The error, 400.
 */
export function malformed(act: string, state: string, cause?: unknown): HTTPError {
  return new HTTPError(400, `Cannot ${act}: ${state}`, { Code: "FW_BODY", cause });
}
