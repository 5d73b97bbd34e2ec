/**
 * Disposes of the values that fw has created. Singletons are disposed of at shutdown, and other values at the end of
 * their unit of work.
 *
 * @module
 */

import type { Work } from "./work.ts";

/** A value that can be disposed of. */
type Closable = Partial<AsyncDisposable & Disposable>;

/** The state shared by the MVC applications of a web application. */
export class Lifetimes {
  #places = 0;
  readonly #singletons = new Set<Closable>();

  /** Reserves an index for a value in each scope. */
  newPlace(): number {
    return this.#places++;
  }

  /** Stores a singleton until shutdown. */
  keep(value: unknown): void {
    if (isClosable(value)) this.#singletons.add(value);
  }

  /** Disposes of all singletons, in reverse order of creation. */
  async end(report: (error: unknown) => void): Promise<void> {
    const values = [...this.#singletons];
    this.#singletons.clear();
    await disposeAll(values, report);
  }
}

/** The values to dispose of when a unit of work ends. */
export class OwnedValues {
  readonly #work: Work;
  readonly #values: Closable[] = [];
  #isOver = false;

  /** Starts to wait for the end of the work. */
  constructor(work: Work) {
    this.#work = work;
    work.onEnd(() => {
      this.#isOver = true;
      return this.#dispose(this.#values);
    });
  }

  /** Disposes of a value at the end of the work, or immediately if the work has already ended. */
  add(value: unknown): void {
    if (!isClosable(value)) return;
    if (this.#isOver) void this.#dispose([value]);
    else this.#values.push(value);
  }

  #dispose(values: readonly Closable[]): Promise<void> {
    return disposeAll(values, (error) => this.#work.report("Cannot dispose of a dependency", error));
  }
}

function isClosable(value: unknown): value is Closable {
  return typeof value === "object" && value !== null && (Symbol.asyncDispose in value || Symbol.dispose in value);
}

/** Disposes of values in reverse order. Continues after failures. */
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
