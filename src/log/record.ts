/**
 * Log records for machine-readable outputs.
 *
 * @module
 */

import type { LogFields } from "./fields.ts";
import type { LevelName } from "./level.ts";

/** A log entry, for outputs that forward it to another program, such as pino or an error tracker. */
export interface LogRecord {
  /** The level. Lines without a level use `info`. */
  readonly Level: Exclude<LevelName, "disable">;
  /** The time of the log call. */
  readonly Time: Date;
  /** The message, including the logger's prefix. Control characters are not escaped. */
  readonly Message: string;
  /** The unconverted fields of the logger and the log call. */
  readonly Fields: LogFields;
  /** The first error among the arguments, if any. */
  readonly Error: Error | undefined;
}
