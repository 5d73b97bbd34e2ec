/**
 * How much a request body may cost: bytes, form fields and time.
 *
 * @module
 */

import { type BodyTimeout, type Configuration, defaultConfiguration } from "../base/config.ts";

/** What one request body may cost. */
export interface BodyLimits {
  /** How many bytes of files one form may hold in memory; what is over goes to disk. */
  readonly postMaxMemory: number;
  /** How many fields and files one form may have. */
  readonly maxFields: number;
  /** How many bytes the fields of one form may have, all together. */
  readonly maxFormSize: number;
  /** How many bytes a body may have that is read as JSON. */
  readonly maxJSON: number;
  /** How many bytes the header of one part may have. */
  readonly maxPartHeaderSize: number;
  /** How many bytes a body may have where its route sets no limit of its own. */
  readonly maxBody: number;
  /** How long the client may take. */
  readonly timeout: BodyTimeout;
}

/**
 * Returns the limits of an application.
 *
 * @param config Its configuration.
 * @returns The limits.
 */
export function limitsOf(config: Readonly<Configuration>): BodyLimits {
  return {
    postMaxMemory: config.PostMaxMemory,
    maxFields: config.MaxFormFields,
    maxFormSize: config.MaxFormSize,
    maxJSON: config.MaxJSONSize,
    maxPartHeaderSize: 16 << 10,
    maxBody: config.MaxRequestBodySize,
    timeout: config.BodyTimeout,
  };
}

/** The limits of an application that sets none. */
export const defaultLimits: BodyLimits = limitsOf(defaultConfiguration());

/**
 * Returns how many bytes of a body may be read into memory at once where no limit is set: as many as its files may
 * take, but never less than the fields of a form may have.
 *
 * @param limits The limits.
 * @returns The number of bytes.
 */
export function maxHeld(limits: BodyLimits): number {
  return Math.min(limits.maxBody, Math.max(limits.postMaxMemory, limits.maxFormSize));
}

/**
 * How much of a streamed body is at hand at once. Large enough that one read and one write per window are cheap: 64 KiB
 * saves a file at half the speed of 256 KiB.
 */
export const windowSize: number = 256 << 10;
