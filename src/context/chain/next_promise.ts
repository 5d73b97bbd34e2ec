/**
 * The promise that `ctx.Next()` returns.
 *
 * @module
 */

/** What brings a handler to its end when its own promise has resolved: the request. */
export interface Concluder {
  /** Takes what the handler resolved to; returns a promise only if there is something to wait for. */
  conclude(at: number, value: unknown): Promise<void> | undefined;
}

/**
 * What is left of a chain from one handler on.
 *
 * It is a promise that knows whether a handler listens to it: an error below belongs to the handler that awaits it, and
 * to the request where none does. A native promise cannot tell, because `await` does not call its `then`.
 *
 * It holds the handler's own promise and not one derived from it: what remains to be done when that one resolves is
 * done by the first that listens. Five layers of `await ctx.Next()` cost 0.9 µs more than five bare async functions; an
 * async function for each layer in between cost 2.2 µs (tests/bench/chain.ts).
 */
export class NextPromise implements Promise<void> {
  /** The position of the handler in its chain. */
  readonly at: number;
  /** The rest that was there before: a list of all of the chain. */
  readonly previous: NextPromise | undefined;
  /** A handler listens to it. */
  isObserved = false;
  /** A handler above does not finish before it does. */
  isAttended = false;
  readonly #own: Promise<unknown>;
  readonly #concluder: Concluder;
  #isGuarded = false;
  /** What was left to wait for at its end; `null` before it. */
  #conclusion: Promise<void> | undefined | null = null;

  constructor(own: Promise<unknown>, at: number, previous: NextPromise | undefined, concluder: Concluder) {
    this.at = at;
    this.previous = previous;
    this.#own = own;
    this.#concluder = concluder;
  }

  get [Symbol.toStringTag](): string {
    return "Promise";
  }

  /** All of it is done, and nothing of it failed. */
  get isDone(): boolean {
    return this.#conclusion === undefined;
  }

  /** Calling it listens. `await` reads it at once and calls it a moment later: by then {@linkcode guard} has run. */
  get then(): Promise<void>["then"] {
    this.#isGuarded = true;
    return listen;
  }

  catch<B = never>(failed?: ((reason: unknown) => B | PromiseLike<B>) | null): Promise<void | B> {
    return this.then(undefined, failed);
  }

  finally(done?: (() => void) | null): Promise<void> {
    return this.then().finally(done);
  }

  /**
   * Keeps a rejection from being unhandled where no handler is about to listen; one that listens later still sees it.
   */
  guard(): void {
    if (this.#isGuarded) return;
    this.#isGuarded = true;
    this.#own.then(undefined, ignore);
  }

  /** Waits for its end, without taking charge of its error. */
  settled(): Promise<void> {
    return this.follow();
  }

  #end(value: unknown): Promise<void> | undefined {
    return this.#conclusion = this.#concluder.conclude(this.at, value);
  }

  /** Waits for its end by functions. */
  follow<A = void, B = never>(
    done?: ((value: void) => A | PromiseLike<A>) | null,
    failed?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.#own.then((value) => {
      const conclusion = this.#conclusion === null ? this.#end(value) : this.#conclusion;
      if (conclusion !== undefined) return conclusion.then(done, failed);
      // Without a function for it a promise passes the value on, which is none.
      return done?.() as A;
    }, failed);
  }
}

function listen<A = void, B = never>(
  this: NextPromise,
  done?: ((value: void) => A | PromiseLike<A>) | null,
  failed?: ((reason: unknown) => B | PromiseLike<B>) | null,
): Promise<A | B> {
  this.isObserved = true;
  return this.follow(done, failed);
}

function ignore(): void {}
