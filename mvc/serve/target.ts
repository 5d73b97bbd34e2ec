/**
 * The code that serves a request, which is a controller or a handler with injected arguments.
 *
 * @module
 */

import type { Context } from "../../src/context/context.ts";
import type { Asker } from "../inject/binding.ts";
import type { Call } from "../inject/call.ts";
import type { Container } from "../inject/container.ts";
import type { Scope } from "../inject/scope.ts";
import type { ErrorHandler } from "../result/returned_error.ts";

/** A controller or a handler with its hooks. */
export interface Target extends Asker {
  readonly home: Container;
  /** Called before each method. */
  readonly begin: Call | undefined;
  /** Called after each method. */
  readonly end: Call | undefined;
  /** Handles errors. */
  readonly handleError: Call | undefined;
  /** Returns the function that handles errors if the controller does not. */
  readonly errorHandler: () => ErrorHandler | undefined;
  /** Creates the instance. Its dependencies have already been created. */
  create(scope: Scope, ctx: Context): object;
  /**
   * Returns an object with the methods of the controller but no fields, for errors that occur before there is an
   * instance.
   */
  bare(ctx: Context): object;
}
