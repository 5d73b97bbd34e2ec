/**
 * Determines which code may still change a response after it has been decided.
 *
 * @module
 */

import { LazyModule } from "../../async/lazy_module.ts";
import type { Draft, WriteGate } from "../../response/draft.ts";
import { currentScope, WriteScope } from "./write_scope.ts";

/** Runs functions as branches. The module takes 6 ms to load, so it is loaded when a request first needs a branch. */
export const scopeModule: LazyModule<typeof import("./async_scope.ts")> = new LazyModule(() =>
  import("./async_scope.ts")
);

/** The branches that may write to the response of a request. */
export class Writers {
  /** The branch of error handlers and end tasks. */
  readonly owner: WriteScope = new WriteScope(undefined);
  /** Whether only the owner may write. */
  isEnding = false;
  /** Whether fw is calling an end task or writing the response itself. No other code runs during that time. */
  isAtWork = false;
  readonly #closed: WriteScope[] = [];

  /** Excludes a branch that has timed out. */
  close(scope: WriteScope): void {
    this.#closed.push(scope);
  }

  /** Reports whether the running code may write. */
  admit(): boolean {
    if (this.isAtWork) return true;
    for (let scope = currentScope(); scope !== undefined; scope = scope.parent) {
      if (scope === this.owner) return true;
      if (this.#closed.includes(scope)) return false;
    }
    return !this.isEnding;
  }
}

/** A request that has writers, created on first use. */
export interface Written {
  writers: Writers | undefined;
}

/** Returns the writers of a request. */
export function writersOf(written: Written): Writers {
  return written.writers ??= new Writers();
}

/** Prevents a branch that has timed out from writing to a response. All other branches may still write. */
export function closeTo(written: Written & WriteGate & { readonly draft: Draft }, scope: WriteScope): void {
  writersOf(written).close(scope);
  written.draft.gate = written;
}

/**
 * Runs a user's function that finishes a response, such as an error handler or an end task, and lets it write even
 * after an `await`.
 */
export function runAsOwner<T>(written: Written, run: () => T | Promise<T>): T | Promise<T> {
  const { owner } = writersOf(written);
  const module = scopeModule.get();
  if (module instanceof Promise) return module.then(({ runInScope }) => runInScope(owner, run, undefined));
  return module.runInScope(owner, run, undefined);
}

/** Runs a synchronous fw function that writes to a response after it has been decided. */
export function writeAsOwner<T>(written: Written, write: () => T): T {
  const { writers } = written;
  if (writers === undefined) return write();
  const before = writers.isAtWork;
  writers.isAtWork = true;
  try {
    return write();
  } finally {
    writers.isAtWork = before;
  }
}
