/**
 * The promise that `ctx.Next()` returns.
 *
 * @module
 */

/** Finishes handlers. Implemented by the request. */
export interface Finisher {
  /**
   * Finishes a handler whose promise has resolved.
   *
   * @returns A promise only if there is something to wait for.
   */
  finish(rest: NextPromise, value: unknown): Promise<void> | undefined;
}

/**
 * The promise for the remaining handlers of a chain.
 *
 * This promise knows whether a handler is listening to it. An error in a later handler belongs to the handler that
 * awaits the promise, or to the request if no handler does. A native promise could not track this, because `await` does
 * not call its `then` method. A subclass of `Promise` could only observe reads of `constructor`, which also happen
 * when the promise is logged, and it would not be faster.
 *
 * It wraps the handler's own promise instead of deriving another one, and the first listener does the remaining work
 * when that promise resolves, because a derived promise for each layer would cost 80 ns (tests/bench/chain.ts).
 */
export class NextPromise implements Promise<void> {
  /** The position of the handler in the chain. */
  readonly at: number;
  /** Whether a handler listens to this promise. */
  isObserved = false;
  /** Whether the handlers may still be running and no earlier handler waits for them. */
  isOpen = true;
  /** The promise of the next deeper position for which there is one. */
  deeper: NextPromise | undefined = undefined;
  readonly #own: Promise<unknown>;
  readonly #finisher: Finisher;
  /** The promise left to wait for after the handler has resolved, or `null` before that. */
  #left: Promise<void> | undefined | null = null;

  constructor(at: number, own: Promise<unknown>, finisher: Finisher) {
    this.at = at;
    this.#own = own;
    this.#finisher = finisher;
  }

  get [Symbol.toStringTag](): string {
    return "Promise";
  }

  /**
   * Returns a function that adds a listener. `await` reads this property immediately and calls the function later,
   * after {@linkcode guard} has run.
   */
  get then(): Promise<void>["then"] {
    this.isObserved = true;
    return listen;
  }

  catch<B = never>(failed?: ((reason: unknown) => B | PromiseLike<B>) | null): Promise<void | B> {
    return this.then(undefined, failed);
  }

  finally(done?: (() => void) | null): Promise<void> {
    return this.then().finally(done);
  }

  /**
   * Prevents an unhandled rejection if no handler is about to listen. Handlers that listen later still receive the
   * error.
   */
  guard(): void {
    if (!this.isObserved) this.#own.catch(ignore);
  }

  /** Calls one of the callbacks at the end, without marking the promise as observed. */
  follow<A = void, B = never>(
    done?: ((value: void) => A | PromiseLike<A>) | null,
    failed?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.#own.then((value) => {
      const left = this.#left === null ? this.#finish(value) : this.#left;
      if (left !== undefined) return left.then(done, failed);
      // As with any promise, a missing callback passes the value on, and the value is `undefined` here.
      return done?.() as A;
    }, failed);
  }

  #finish(value: unknown): Promise<void> | undefined {
    const { deeper } = this;
    // Most handlers return nothing and leave nothing running.
    if (value === undefined && (deeper === undefined || !deeper.isOpen && deeper.deeper === undefined)) {
      this.isOpen = false;
      return this.#left = undefined;
    }
    const left = this.#left = this.#finisher.finish(this, value);
    if (left === undefined) this.isOpen = false;
    return left;
  }
}

function listen<A = void, B = never>(
  this: NextPromise,
  done?: ((value: void) => A | PromiseLike<A>) | null,
  failed?: ((reason: unknown) => B | PromiseLike<B>) | null,
): Promise<A | B> {
  return this.follow(done, failed);
}

function ignore(): void {}
