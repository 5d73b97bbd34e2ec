/**
 * How long the values of dependencies live: those of all requests until the shutdown, some of one request until its end.
 *
 * @module
 */

/** What can be disposed of. */
export type Closable = Partial<AsyncDisposable & Disposable>;

/** What the MVC applications of one web application share: the places in a request, and what the shutdown disposes of. */
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
export function isClosable(value: unknown): value is Closable {
  return typeof value === "object" && value !== null && (Symbol.asyncDispose in value || Symbol.dispose in value);
}

/** Disposes of values, the last first, each whatever becomes of the others. */
export async function disposeAll(values: readonly Closable[], report: (error: unknown) => void): Promise<void> {
  for (const value of values.toReversed()) {
    try {
      if (value[Symbol.asyncDispose] !== undefined) await value[Symbol.asyncDispose]?.();
      else value[Symbol.dispose]?.();
    } catch (error) {
      report(error);
    }
  }
}
