/**
 * Units of work that have dependencies: HTTP requests, WebSocket events and jobs.
 *
 * @module
 */

import type { Context } from "../../src/context/context.ts";
import type { InputToken } from "../reflect/token.ts";

/**
 * A unit of work, as its dependencies see it. Implemented by everything that calls methods with dependencies.
 */
export interface Work {
  /** The context passed to providers `(ctx) => T`, which fail if there is none. */
  readonly context: Context | undefined;
  /** Whether the work was stopped, for example by a guard. No further dependencies are created for a call. */
  readonly isStopped: boolean;
  /**
   * Reads and validates a typed input, such as `mvc.Body(schema)`.
   *
   * @param input The part of the work and the schema.
   * @returns The value, or a promise of it. Throws or rejects if the input is not valid.
   */
  read(input: InputToken): unknown;
  /**
   * Reads and validates a typed input that was not known before a constructor or method runs.
   *
   * @param input The part of the work and the schema.
   * @returns The value, or a promise if it is asynchronous, which is then an error. Throws if the input is not valid.
   */
  readNow(input: InputToken): unknown;
  /** Registers a task to run when the work has ended, however it ended. */
  onEnd(task: () => void | Promise<void>): void;
  /** Reports an error that would otherwise not be visible. */
  report(act: string, error: unknown): void;
}
