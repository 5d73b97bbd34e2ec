/**
 * What a log line is written from, for outputs that are programs.
 *
 * @module
 */

import type { LogFields } from "./fields.ts";
import type { LevelName } from "./level.ts";

/** One call of a logger, for outputs that pass it on to another program, such as pino or an error tracker. */
export interface LogRecord {
  /** The level; `info` for lines without level. */
  readonly Level: Exclude<LevelName, "disable">;
  /** When the call was made. */
  readonly Time: Date;
  /** The message, with the prefix of the logger. Control characters are not escaped. */
  readonly Message: string;
  /** The fields of the logger and of the call, as they were given. */
  readonly Fields: LogFields;
  /** The first error among the arguments, if there is one. */
  readonly Error: Error | undefined;
}
