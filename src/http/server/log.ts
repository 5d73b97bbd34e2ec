/**
 * The logger interface that servers use.
 *
 * @module
 */

/** A logger for server messages. fw's own logger implements it. */
export interface ServerLog {
  /** Logs information about normal operation. */
  Info(...values: unknown[]): void;
  /** Logs a warning. */
  Warn(...values: unknown[]): void;
  /** Logs an error. */
  Error(...values: unknown[]): void;
  /** Writes buffered lines. Called before the process exits. */
  Flush?(): void;
}
