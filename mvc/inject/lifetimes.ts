/**
 * Disposes of the values that fw has created. Singletons are disposed of at shutdown, and other values at the end of
 * their unit of work.
 *
 * @module
 */

import type { Work } from "./work.ts";

/** A value that can be disposed of. */
type Closable = Partial<AsyncDisposable & Disposable>;

/** Values that are disposed of together. */
class Disposables {
  readonly #values = new Set<Closable>();

  /** Adds a value, if it can be disposed of. */
  add(value: unknown): void {
    if (typeof value !== "object" || value === null) return;
    if (Symbol.asyncDispose in value || Symbol.dispose in value) this.#values.add(value as Closable);
  }

  /** Disposes of all values in reverse order. Continues after failures. */
  async dispose(report: (error: unknown) => void): Promise<void> {
    const values = [...this.#values].reverse();
    this.#values.clear();
    for (const value of values) {
      try {
        if (value[Symbol.asyncDispose] !== undefined) await value[Symbol.asyncDispose]?.();
        else value[Symbol.dispose]?.();
      } catch (error) {
        report(error);
      }
    }
  }
}

/** The state shared by the MVC applications of a web application. */
export class Lifetimes {
  #places = 0;
  /** The singletons, until shutdown. */
  readonly singletons: Disposables = new Disposables();

  /** Reserves an index for a value in each scope. */
  newPlace(): number {
    return this.#places++;
  }
}

/** The values to dispose of when a unit of work ends. */
export class OwnedValues {
  readonly #work: Work;
  readonly #values = new Disposables();
  #isOver = false;

  /** Starts to wait for the end of the work. */
  constructor(work: Work) {
    this.#work = work;
    work.onEnd(() => {
      this.#isOver = true;
      return this.#dispose();
    });
  }

  /** Disposes of a value at the end of the work, or immediately if the work has already ended. */
  add(value: unknown): void {
    this.#values.add(value);
    if (this.#isOver) void this.#dispose();
  }

  #dispose(): Promise<void> {
    return this.#values.dispose((error) => this.#work.report("Cannot dispose of a dependency", error));
  }
}
