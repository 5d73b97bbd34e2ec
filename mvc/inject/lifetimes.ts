/**
 * How long the values of dependencies live: those of all requests until the shutdown, some of one request until its
 * end.
 *
 * @module
 */

import { type Context, exchangeOf } from "../../src/context/context.ts";
import { afterResponse } from "../../src/context/ending/end_tasks.ts";
import { reportFailure } from "../../src/context/report_failure.ts";

/** What can be disposed of. */
type Closable = Partial<AsyncDisposable & Disposable>;

/**
 * What the MVC applications of one web application share: the places in a request, and what the shutdown disposes of.
 */
export class Lifetimes {
  #places = 0;
  readonly #shared = new Set<Closable>();

  /** Reserves a place among the values of each request. */
  newPlace(): number {
    return this.#places++;
  }

  /** How many places there are. */
  get places(): number {
    return this.#places;
  }

  /** Keeps a value that fw has created for all requests. */
  keep(value: unknown): void {
    if (isClosable(value)) this.#shared.add(value);
  }

  /** Disposes of all that was kept, the last created first. */
  async end(report: (error: unknown) => void): Promise<void> {
    const values = [...this.#shared];
    this.#shared.clear();
    await disposeAll(values, report);
  }
}

/** Reports whether a value can be disposed of. */
function isClosable(value: unknown): value is Closable {
  return typeof value === "object" && value !== null && (Symbol.asyncDispose in value || Symbol.dispose in value);
}

/** Disposes of values, the last first, each whatever becomes of the others. */
async function disposeAll(values: readonly Closable[], report: (error: unknown) => void): Promise<void> {
  for (const value of values.toReversed()) {
    try {
      if (value[Symbol.asyncDispose] !== undefined) await value[Symbol.asyncDispose]?.();
      else value[Symbol.dispose]?.();
    } catch (error) {
      report(error);
    }
  }
}

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
    const exchange = exchangeOf(this.#ctx);
    return disposeAll(values, (error) => reportFailure(exchange, error, "Cannot dispose of a dependency"));
  }
}
