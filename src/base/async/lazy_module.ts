/**
 * Lazy modules: modules that are loaded on first use instead of at start-up.
 *
 * All of fw's dynamic imports are made here. If `import()` is called in the asynchronous context of a request, Deno
 * uses that context for everything that happens afterwards, including the requests of other users.
 *
 * @module
 */

import { runShared } from "./async_context.ts";

const modules = new Set<LazyModule<unknown>>();

/**
 * A module that is loaded on first use.
 *
 * The load function must import a literal path, so that `deno compile` and publishing include the module and importing
 * it needs no permission.
 */
export class LazyModule<T> {
  readonly #load: () => Promise<T>;
  #module: T | undefined = undefined;

  /** Creates a lazy module from its load function. */
  constructor(load: () => Promise<T>) {
    this.#load = load;
    modules.add(this);
  }

  /** Returns the module, or `undefined` if it is not loaded yet. */
  get loaded(): T | undefined {
    return this.#module;
  }

  /** Returns the module, or a promise for it if it is not loaded yet. */
  get(): T | Promise<T> {
    return this.#module ?? this.#open();
  }

  async #open(): Promise<T> {
    return this.#module = await loadModule(this.#load);
  }
}

/** Loads all modules that are not loaded yet, so that no request has to wait for them. */
export async function loadLazyModules(): Promise<void> {
  await Promise.all(Array.from(modules, (room) => room.get()));
}

/**
 * Loads a module that is not needed again, or that only some applications need.
 *
 * @param load Imports the module.
 */
export function loadModule<T>(load: () => Promise<T>): Promise<T> {
  return runShared(load);
}
