/**
 * Units of work that have dependencies: HTTP requests, WebSocket events, jobs.
 *
 * @module
 */

import type { Context } from "../../src/context/context.ts";
import { afterResponse } from "../../src/context/ending/end_tasks.ts";
import type { Exchange } from "../../src/context/exchange.ts";
import { reportFailure } from "../../src/context/report_failure.ts";
import type { InputToken } from "./input_token.ts";
import { lateKinds, readAlone, readChecked } from "./read_checked.ts";

/**
 * A unit of work, as its dependencies see it. Everything that calls methods with dependencies implements this, as
 * {@linkcode RequestWork} does for HTTP requests.
 */
export interface Work {
  /** Passed to providers `(ctx) => T`, which fail if there is none. */
  readonly context: Context | undefined;
  /** True once the work was stopped, by a guard for example: no further dependency is created for a call. */
  readonly isStopped: boolean;
  /**
   * Reads and validates a typed input, such as `mvc.Body(schema)`.
   *
   * @param input The part of the work, and the schema.
   * @returns The value, or a promise of it. Throws or rejects if the input is not valid.
   */
  read(input: InputToken): unknown;
  /**
   * Reads and validates a typed input that was not known before a constructor or method runs.
   *
   * @param input The part of the work, and the schema.
   * @returns The value, or a promise if it takes time, which is then an error. Throws if the input is not valid.
   */
  readNow(input: InputToken): unknown;
  /** Runs a task when the work is over, however it ended. */
  onEnd(task: () => void | Promise<void>): void;
  /** Reports an error that has no other way to be seen. */
  report(act: string, error: unknown): void;
}

/** An HTTP request. */
export class RequestWork implements Work {
  readonly #exchange: Exchange<Context>;
  readonly context: Context;

  constructor(exchange: Exchange<Context>) {
    this.#exchange = exchange;
    this.context = exchange.context;
  }

  get isStopped(): boolean {
    return this.#exchange.chain.stopped;
  }

  read(input: InputToken): unknown {
    return readChecked(this.context, input);
  }

  readNow(input: InputToken): unknown {
    return lateKinds.has(input.kind) ? Promise.resolve() : readAlone(this.context, input);
  }

  onEnd(task: () => void | Promise<void>): void {
    afterResponse(this.#exchange, task);
  }

  report(act: string, error: unknown): void {
    reportFailure(this.#exchange, error, act);
  }
}
