/**
 * Disposes of the values that fw has created. Singletons are disposed of at shutdown, and other values at the end of
 * their unit of work.
 *
 * @module
 */

import { LazyModule } from "../../src/base/async/lazy_module.ts";
import type { Singleton } from "./stale_singletons.ts";
import type { Work } from "./work.ts";

/** A value that can be disposed of. */
type Closable = Partial<AsyncDisposable & Disposable>;

/** Reports the error of a value that cannot be disposed of. */
type Report = (error: unknown) => void;

/** Values that are disposed of together. */
class Disposables {
  readonly #values = new Set<Closable>();
  #report: Report | undefined = undefined;

  /** Reports whether the values have been disposed of. */
  get isOver(): boolean {
    return this.#report !== undefined;
  }

  /** Reports whether a value will be disposed of. */
  has(value: unknown): boolean {
    return this.#values.has(value as Closable);
  }

  /** Adds a value, if it can be disposed of. If the other values have been, it is disposed of immediately. */
  add(value: unknown): void {
    // A function can be disposed of as well, such as the client of a database.
    if ((typeof value !== "object" && typeof value !== "function") || value === null) return;
    if (Symbol.asyncDispose in value || Symbol.dispose in value) this.#values.add(value as Closable);
    if (this.#report !== undefined) void this.dispose(this.#report);
  }

  /** Disposes of all values in reverse order. Continues after failures. */
  async dispose(report: Report): Promise<void> {
    this.#report = report;
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

const staleSingletons = new LazyModule(() => import("./stale_singletons.ts"));

/** The state shared by the MVC applications of a web application. */
export class Lifetimes {
  #places = 0;
  /** The singletons that have been created, or are being created. */
  readonly #singletons = new Set<Singleton>();
  #disposables = new Disposables();

  /** Reserves an index for a value in each scope. */
  newPlace(): number {
    return this.#places++;
  }

  /**
   * Records that a singleton is being created.
   *
   * @param singleton The singleton.
   * @returns A function that stores its value. If the singletons have been disposed of in the meantime, the value is
   * disposed of immediately, and the next call creates another one.
   */
  begin(singleton: Singleton): (value: unknown) => unknown {
    const disposables = this.#disposables;
    this.#singletons.add(singleton);
    return (value) => {
      disposables.add(value);
      if (!disposables.isOver) {
        singleton.value = value;
        singleton.isReady = true;
      }
      return value;
    };
  }

  /**
   * Disposes of all singletons in reverse order. If the application is run again, they are created again, and so are
   * those that were created from them.
   */
  async dispose(report: Report): Promise<void> {
    const disposables = this.#disposables;
    this.#disposables = new Disposables();
    const { forgetStale } = await staleSingletons.get();
    forgetStale(this.#singletons, disposables);
    await disposables.dispose(report);
  }
}

/** The values to dispose of when a unit of work ends. */
export class OwnedValues {
  readonly #values = new Disposables();
  readonly #pending = new Set<Promise<void>>();

  /** Starts to wait for the end of the work. */
  constructor(work: Work) {
    const dispose = () => this.#values.dispose((error) => work.report("Cannot dispose of a dependency", error));
    work.onEnd(() => {
      if (this.#pending.size === 0) return dispose();
      const disposing = Promise.all(this.#pending).then(dispose);
      return work.trail === undefined ? disposing : work.trail(disposing);
    });
  }

  /** Disposes of a value at the end of the work, or immediately if the work has already ended. */
  add(value: unknown): void {
    this.#values.add(value);
  }

  /** Keeps the values until a dependency that may use them has been created. The promise must not reject. */
  keepFor(creation: Promise<void>): void {
    this.#pending.add(creation);
    void creation.then(() => this.#pending.delete(creation));
  }
}
