/**
 * Branches of asynchronous work. They distinguish a handler that continues after its timeout from the middleware around
 * it, although both use the same context.
 *
 * @module
 */

import type { AsyncLocalStorage } from "node:async_hooks";
import { LazyModule } from "../../../base/async/lazy_module.ts";

/** A branch: a function call and everything it starts, even if it continues after its timeout. */
export interface Branch {
  readonly parent: Branch | undefined;
}

/** The scopes of the running code. */
export interface AsyncScopes {
  /** The exchange of the call that the running code belongs to, if anything needs to find it without the context. */
  readonly calls: AsyncLocalStorage<object>;
  /** The encoded values of the job that the running code belongs to. */
  readonly jobValues: AsyncLocalStorage<string>;
  /** The branch that the running code belongs to. To run a function as a branch costs 0.3 µs. */
  readonly branches: AsyncLocalStorage<Branch>;
}

/** The module takes 6 ms to load, so it is loaded when a request first needs a branch. */
const hooks = new LazyModule(() => import("node:async_hooks"));

let scopes: AsyncScopes | undefined = undefined;

/** Returns the scopes, or `undefined` if nothing has needed them yet. */
export function existingScopes(): AsyncScopes | undefined {
  return scopes;
}

/** Returns the scopes, or a promise for them if they are needed for the first time. */
export function asyncScopes(): AsyncScopes | Promise<AsyncScopes> {
  return scopes ?? openScopes();
}

async function openScopes(): Promise<AsyncScopes> {
  const { AsyncLocalStorage } = await hooks.get();
  return scopes ??= {
    calls: new AsyncLocalStorage(),
    jobValues: new AsyncLocalStorage(),
    branches: new AsyncLocalStorage(),
  };
}
