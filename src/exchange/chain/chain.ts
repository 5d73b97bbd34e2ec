/**
 * Runs the handlers of a request.
 *
 * As long as all handlers are synchronous, no promise is created. If a handler is asynchronous, all handlers above it
 * wait for it, even middleware that called `ctx.Next()` without awaiting it. Otherwise, an incomplete response would be
 * sent.
 *
 * @module
 */

import { isThenable } from "../../async/thenable.ts";
import { adopt, type Draft } from "../../response/draft.ts";
import { isResponse } from "../../response/platform_response.ts";
import { type Concluder, NextPromise } from "./next_promise.ts";

/** The return type of a handler. */
type Returned = void | Response | Promise<void | Response>;

/** A handler with any type of context. The chain is below the context in the module hierarchy and only passes it on. */
export type Step<C> = (ctx: C) => Returned;

/** The handlers of a request and the current position. */
export class Chain<C> {
  readonly handlers: readonly Step<C>[];
  index = 0;
  stopped = false;
  /** Whether the chain was stopped with an error whose message is the response. */
  hasMessage = false;
  /**
   * Whether the response was decided while handlers were still running, by a timeout or by the failure of another
   * handler.
   */
  isAbandoned = false;
  /**
   * Whether a handler is being called. Rejections of promises that the handler starts are handled after it returns.
   */
  isWalking = false;
  /** The most recent asynchronous remainder of the chain. Each remainder links to the one before it. */
  rest: NextPromise | undefined = undefined;
  /** The position after which handlers were abandoned. Their outcome no longer matters. */
  abandonedFrom: number = Infinity;

  constructor(handlers: readonly Step<C>[]) {
    this.handlers = handlers;
  }
}

/** The parts of a request that running a chain needs. */
export interface Walker<C> extends Concluder {
  readonly context: C;
  readonly draft: Draft;
  readonly chain: Chain<C>;
  /** Called if a handler returns a value that is not a response. */
  reportReturned(value: unknown): void;
}

/**
 * Processes the return value of a handler. A `Response` becomes the response; any other value is a mistake in untyped
 * code.
 */
export function accept<C>(walker: Walker<C>, returned: unknown): void {
  if (isResponse(returned)) adopt(walker.draft, returned);
  // `null` and booleans are ignored silently: `condition && ctx.JSON(value)` returns them.
  else if (returned !== undefined && returned !== null && typeof returned !== "boolean") {
    walker.reportReturned(returned);
  }
}

/**
 * Runs the first handler.
 *
 * @returns The handler's promise if it or a later handler is asynchronous. Pass its result to {@linkcode settle}.
 */
export function start<C>(walker: Walker<C>): Promise<unknown> | undefined {
  const { chain } = walker;
  const first = chain.handlers[0];
  if (first === undefined) return undefined;
  const result = walk(walker, first);
  if (result === undefined && chain.rest === undefined) return undefined;
  return result instanceof Promise ? result : later(walker, 0, result);
}

/**
 * Finishes a handler: processes its return value and waits for everything it started that nothing else waits for.
 *
 * @param walker The request.
 * @param at The position of the handler.
 * @param value The return value, or the value its promise resolved to.
 * @returns A promise only if there is something to wait for.
 */
export function settle<C>(walker: Walker<C>, at: number, value: unknown): Promise<void> | undefined {
  if (at > walker.chain.abandonedFrom) return undefined;
  if (value !== undefined) accept(walker, value);
  for (let rest = walker.chain.rest; rest !== undefined; rest = rest.previous) {
    if (rest.at <= at || rest.isAttended) continue;
    rest.isAttended = true;
    if (!rest.isDone) return attend(walker, at, rest);
  }
  return undefined;
}

/**
 * Runs a whole chain.
 *
 * @returns A promise only if any of its handlers is asynchronous.
 */
export function runChain<C>(walker: Walker<C>): Promise<void> | undefined {
  return start(walker)?.then((value) => settle(walker, 0, value));
}

/** Runs the next handler, unless the chain has ended or is stopped. */
export function next<C>(walker: Walker<C>): Promise<void> | undefined {
  const { chain, draft: { gate } } = walker;
  // A handler that runs late must not run the chain of an error page.
  if (chain.stopped || (gate !== undefined && !gate.mayWrite())) return undefined;
  const at = ++chain.index;
  const handler = chain.handlers[at];
  if (handler === undefined) return undefined;
  const result = chain.isWalking ? handler(walker.context) : walk(walker, handler);
  if (result === undefined && chain.rest === undefined) return undefined;
  if (result === chain.rest && isAll(chain.rest, at)) return chain.rest;
  const own = result instanceof Promise ? result : later(walker, at, result);
  if (own === undefined) return undefined;
  chain.rest = new NextPromise(own, at, chain.rest, walker);
  // The handler continued after it had returned, so no walk will guard its promise.
  if (!chain.isWalking) chain.rest.guard();
  return chain.rest;
}

/**
 * Calls a handler that is not called by another handler, and guards the remainders that nothing is about to listen to.
 * This is done once per walk, because promises settle only when the walk is over; doing it for each handler would cost
 * 20 ns each.
 */
function walk<C>(walker: Walker<C>, handler: Step<C>): Returned {
  const { chain } = walker;
  const before = chain.rest;
  chain.isWalking = true;
  try {
    return handler(walker.context);
  } finally {
    chain.isWalking = false;
    if (chain.rest !== before) guardSince(chain.rest, before);
  }
}

function guardSince(from: NextPromise | undefined, before: NextPromise | undefined): void {
  for (let rest = from; rest !== before && rest !== undefined; rest = rest.previous) rest.guard();
}

/** Reports whether a handler that returns the result of `ctx.Next()` has started nothing else. */
function isAll(rest: NextPromise | undefined, at: number): rest is NextPromise {
  for (let other = rest?.previous; other !== undefined; other = other.previous) {
    if (other.at > at && other.at < (rest?.at ?? 0) && !other.isAttended) return false;
  }
  return rest !== undefined;
}

/**
 * Waits for a remainder, then for the others. An error is only rethrown if no handler has taken responsibility for it.
 */
async function attend<C>(walker: Walker<C>, at: number, rest: NextPromise): Promise<void> {
  try {
    await rest.settled();
  } catch (error) {
    if (!rest.isObserved) throw error;
  }
  await settle(walker, at, undefined);
}

/**
 * Abandons the handlers after a position: no handler above waits for them, and no handlers run after them.
 *
 * @param chain The chain.
 * @param at The position.
 */
export function abandon<C>(chain: Chain<C>, at: number): void {
  chain.stopped = chain.isAbandoned = true;
  chain.abandonedFrom = Math.min(chain.abandonedFrom, at);
  for (let rest = chain.rest; rest !== undefined; rest = rest.previous) {
    if (rest.at > at) rest.isAttended = true;
  }
}

/**
 * Returns the promise to wait for if a handler did not return a native promise: its thenable, or the remainder it
 * started.
 */
function later<C>(walker: Walker<C>, at: number, result: Returned): Promise<unknown> | undefined {
  if (result instanceof NextPromise) return result;
  return isThenable(result) ? Promise.resolve(result) : settle(walker, at, result);
}
