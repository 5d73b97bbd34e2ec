/**
 * What a server needs of a logger.
 *
 * @module
 */

/** Where a server reports; fw's own logger fits. */
export interface ServerLog {
  /** Reports what is normal. */
  Info(...values: unknown[]): void;
  /** Reports what should be looked at. */
  Warn(...values: unknown[]): void;
  /** Reports what went wrong. */
  Error(...values: unknown[]): void;
  /** Writes out what is still held back; called before the process is ended. */
  Flush?(): void;
}
