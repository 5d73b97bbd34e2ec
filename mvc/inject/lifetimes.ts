/**
 * Disposes of the values that fw has created: singletons at shutdown, those of one unit of work at its end.
 *
 * @module
 */

import type { Work } from "./work.ts";

/** A value that can be disposed of. */
type Closable = Partial<AsyncDisposable & Disposable>;

/** What the MVC applications of one web application share. */
export class Lifetimes {
  #places = 0;
  readonly #singletons = new Set<Closable>();

  /** Reserves a place among the values of each scope. */
  newPlace(): number {
    return this.#places++;
  }

  /** Keeps a singleton until shutdown. */
  keep(value: unknown): void {
    if (isClosable(value)) this.#singletons.add(value);
  }

  /** Disposes of all singletons, the last created first. */
  async end(report: (error: unknown) => void): Promise<void> {
    const values = [...this.#singletons];
    this.#singletons.clear();
    await disposeAll(values, report);
  }
}

/** The values of one unit of work that are disposed of when it is over. */
export class OwnedValues {
  readonly #work: Work;
  readonly #values: Closable[] = [];
  #isOver = false;

  /** Begins to wait for the end of the work. */
  constructor(work: Work) {
    this.#work = work;
    work.onEnd(() => {
      this.#isOver = true;
      return this.#dispose(this.#values);
    });
  }

  /** Disposes of a value at the end of the work, or at once if it is over. */
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
