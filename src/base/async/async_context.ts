/**
 * Asynchronous contexts, which hold the stores of `AsyncLocalStorage`.
 *
 * Code that runs for a call runs in the context of that call. Code that serves several calls, such as a timer, a
 * connection or a module that is loaded once, runs in no call's context.
 *
 * @module
 */

/**
 * The asynchronous context in which the object was created.
 *
 * A promise callback runs in the context in which it was registered, so the object keeps one callback registered. This
 * costs two promises, whereas loading `node:async_hooks` takes 6 ms.
 */
export class AsyncContext {
  readonly #jobs: (() => void)[] = [];
  #wake: () => void = ignore;

  constructor() {
    this.#wait();
  }

  /**
   * Runs a function in this context, after the current synchronous code.
   *
   * @param run The function.
   * @returns A promise for its result.
   */
  run<T>(run: () => T | Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#jobs.push(() => {
        try {
          resolve(run());
        } catch (error) {
          reject(error);
        }
      });
      this.#wake();
    });
  }

  #wait(): void {
    new Promise<void>((resolve) => this.#wake = resolve).then(() => {
      // The next callback is registered here, where the context is the right one.
      this.#wait();
      for (const job of this.#jobs.splice(0)) job();
    });
  }
}

/**
 * Returns a function that runs another one later, in the current context.
 *
 * @param run The function to run.
 */
export function inContext<T>(run: () => T | Promise<T>): () => Promise<T> {
  const context = new AsyncContext();
  return () => context.run(run);
}

/** The context in which fw was loaded, which belongs to no call. */
const shared = new AsyncContext();

/**
 * Runs a function that serves several calls, after the current synchronous code and outside the context of the current
 * call.
 *
 * @param run The function.
 * @returns A promise for its result.
 */
export function runShared<T>(run: () => T | Promise<T>): Promise<T> {
  return shared.run(run);
}

function ignore(): void {}
