/**
 * Runs functions as branches of asynchronous work.
 *
 * @module
 */

import { AsyncLocalStorage } from "node:async_hooks";
import { findScopesBy, type WriteScope } from "./write_scope.ts";

const storage = new AsyncLocalStorage<WriteScope>();
findScopesBy(() => storage.getStore());

/** Runs a function as a branch, including everything it does after an `await`. Costs 0.3 µs. */
export function runInScope<A, T>(scope: WriteScope, run: (argument: A) => T, argument: A): T {
  return storage.run(scope, run, argument);
}
