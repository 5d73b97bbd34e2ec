/**
 * The values of one request that are disposed of at its end.
 *
 * @module
 */

import { type Context, exchangeOf } from "../../src/context/context.ts";
import { afterResponse } from "../../src/context/end_tasks.ts";
import { type Closable, disposeAll, isClosable } from "./lifetimes.ts";

/** Disposes of values when the response of a request has left, last created first. */
export class RequestClosables {
  readonly #ctx: Context;
  readonly #values: Closable[] = [];
  #isOver = false;

  /** Begins to watch for the end of a request: before that has come, also if there is nothing to dispose of yet. */
  constructor(ctx: Context) {
    this.#ctx = ctx;
    afterResponse(exchangeOf(ctx), () => {
      this.#isOver = true;
      return this.#dispose(this.#values);
    });
  }

  /** Disposes of a value at the end of the request, or at once if that is over. */
  add(value: unknown): void {
    if (!isClosable(value)) return;
    if (this.#isOver) void this.#dispose([value]);
    else this.#values.push(value);
  }

  #dispose(values: readonly Closable[]): Promise<void> {
    const logger = this.#ctx.Application().Logger();
    return disposeAll(values, (error) => logger.Error("Cannot dispose of a dependency:", error));
  }
}
