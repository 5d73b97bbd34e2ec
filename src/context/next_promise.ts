/**
 * The promise that `ctx.Next()` returns.
 *
 * @module
 */

/**
 * A promise that knows whether a handler listens to it: an error below belongs to the handler that awaits it, and to the
 * request where none does. A native promise cannot tell, because `await` does not call its `then`.
 */
export class NextPromise implements Promise<void> {
  readonly settled: Promise<void>;
  /** Some handler listens to it. */
  observed = false;
  /** Some handler above does not finish before it does. */
  attended = false;

  constructor(settled: Promise<void>) {
    this.settled = settled;
    // The handler in charge sees the rejection through another branch; this one only keeps it from being unhandled.
    settled.catch(ignore);
  }

  get [Symbol.toStringTag](): string {
    return "Promise";
  }

  then<A = void, B = never>(
    done?: ((value: void) => A | PromiseLike<A>) | null,
    failed?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    this.observed = true;
    return this.settled.then(done, failed);
  }

  catch<B = never>(failed?: ((reason: unknown) => B | PromiseLike<B>) | null): Promise<void | B> {
    return this.then(undefined, failed);
  }

  finally(done?: (() => void) | null): Promise<void> {
    this.observed = true;
    return this.settled.finally(done);
  }
}

function ignore(): void {}
