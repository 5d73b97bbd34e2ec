/**
 * Units of work that have dependencies: HTTP requests, WebSocket events and jobs.
 *
 * @module
 */

import type { Context } from "../../src/core/context/context.ts";
import type { InputToken } from "../reflect/token.ts";

/**
 * A unit of work with dependencies. Implemented by everything that calls methods with dependencies.
 */
export interface Work {
  /** The context for providers `(ctx) => T`. If there is none, they fail. */
  readonly context: Context | undefined;
  /** Whether the work was stopped, for example by a guard. If so, no further dependencies are created for a call. */
  readonly isStopped: boolean;
  /**
   * Reads and validates a typed input, such as `mvc.Body(schema)`.
   *
   * @param input The part of the work and the schema.
   * @returns The value, or a promise for it. Throws or rejects if the input is not valid.
   */
  read(input: InputToken): unknown;
  /**
   * Reads and validates a typed input that was not known before the constructor or method runs.
   *
   * @param input The part of the work and the schema.
   * @returns The value, or a promise if reading is asynchronous, which is an error in this case. Throws if the input is
   * not valid.
   */
  readNow(input: InputToken): unknown;
  /**
   * Registers a task to run when the work has ended, whether it succeeded or failed. The tasks run in reverse order, so
   * that a value is disposed of before the values it was created from.
   */
  onEnd(task: () => void | Promise<void>): void;
  /** Continues after the end of the work. A shutdown waits for the promise. If omitted, the end of the work waits. */
  trail?(promise: Promise<void>): void;
  /** Reports an error that would otherwise be lost. */
  report(act: string, error: unknown): void;
}
