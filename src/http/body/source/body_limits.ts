/**
 * Limits for request bodies: bytes, form fields and time.
 *
 * @module
 */

import { type BodyTimeout, type Configuration, defaultConfiguration } from "../../../base/config/config.ts";
import { FrameworkError } from "../../../base/errors/errors.ts";

/** The limits for a request body. */
export interface BodyLimits {
  /** The maximum number of file bytes per form to hold in memory. Further bytes are written to disk. */
  readonly postMaxMemory: number;
  /** The maximum number of fields and files per form. */
  readonly maxFields: number;
  /** The maximum total size of a form's fields, in bytes. */
  readonly maxFormSize: number;
  /** The maximum size of a JSON body, in bytes. */
  readonly maxJSON: number;
  /** The maximum size of a part's header, in bytes. */
  readonly maxPartHeaderSize: number;
  /** The maximum size of a body, in bytes, if the route sets no limit. */
  readonly maxBody: number;
  /** The time limits for the client. */
  readonly timeout: BodyTimeout;
}

/**
 * Returns the limits of an application.
 *
 * @param config The application's configuration.
 * @returns The limits.
 */
export function limitsOf(config: Readonly<Configuration>): BodyLimits {
  return {
    postMaxMemory: config.PostMaxMemory,
    maxFields: config.MaxFormFields,
    maxFormSize: config.MaxForm,
    maxJSON: config.MaxDocument,
    maxPartHeaderSize: 16 << 10,
    maxBody: config.MaxBody,
    timeout: config.BodyTimeout,
  };
}

/** The default limits. */
export const defaultLimits: BodyLimits = limitsOf(defaultConfiguration());

/**
 * Returns the maximum number of bytes to read into memory if no limit is set. This is the limit for files in memory, or
 * the limit for form fields if that is higher.
 *
 * @param limits The limits of the application.
 * @returns The number of bytes.
 */
export function maxHeld(limits: BodyLimits): number {
  return Math.min(limits.maxBody, Math.max(limits.postMaxMemory, limits.maxFormSize));
}

/** Checks a limit that a route sets. */
export function assertLimit(what: string, max: number): void {
  if (typeof max === "number" && max >= 0) return;
  throw new FrameworkError(
    "FW_CONFIG",
    `Cannot limit ${what} to "${String(max)}" bytes: it must be a non-negative number`,
  );
}

/**
 * The size of the window for streamed bodies, in bytes. It must be large enough to make one read and one write per
 * window cheap. With 64 KiB, saving files takes twice as long as with 256 KiB.
 */
export const windowSize: number = 256 << 10;
