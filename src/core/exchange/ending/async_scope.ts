/**
 * Branches of asynchronous work. They distinguish a handler that continues after its timeout from the middleware around
 * it, although both use the same context.
 *
 * @module
 */

import { AsyncLocalStorage } from "node:async_hooks";

/** A branch: a function call and everything it starts, even if it continues after its timeout. */
export interface Branch {
  readonly parent: Branch | undefined;
}

/** The exchange of the call that the running code belongs to, if anything needs to find it without the context. */
export const calls: AsyncLocalStorage<object> = new AsyncLocalStorage();

/** The encoded values of the job that the running code belongs to. */
export const jobValues: AsyncLocalStorage<string> = new AsyncLocalStorage();

/** The branch that the running code belongs to. To run a function as a branch costs 0.3 µs. */
export const branches: AsyncLocalStorage<Branch> = new AsyncLocalStorage();
