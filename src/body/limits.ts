/**
 * How much a request body may cost.
 *
 * @module
 */

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
 * Returns how many bytes a request may hold in memory that cannot go to disk: all fields of a form, or a body read whole.
 * That is `PostMaxMemory`, but never less than one field may have: an application that sends all files to disk still
 * reads the fields.
 *
 * @param limits The limits.
 * @returns The number of bytes.
 */
export function maxHeld(limits: BodyLimits): number {
  return Math.max(limits.PostMaxMemory, limits.MaxFieldSize);
}
