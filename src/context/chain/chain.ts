/**
 * The walk along the handlers of a request.
 *
 * As long as handlers are synchronous no promise is created. Where one is asynchronous, all handlers above it wait for
 * it, also a middleware that called `ctx.Next()` and forgot to await it: its response would leave half written.
 *
 * @module
 */

import { isThenable } from "../../base/thenable.ts";
import { adopt, type Draft } from "../../response/draft.ts";
import { isResponse } from "../../response/platform_response.ts";
import { type Concluder, NextPromise } from "./next_promise.ts";

/** What a handler may return. */
type Returned = void | Response | Promise<void | Response>;

/** A handler, whatever its context is: the chain stands below the context and only passes it on. */
export type Step<C> = (ctx: C) => Returned;

/** The handlers of a request and how far it has come. */
export class Chain<C> {
  readonly handlers: readonly Step<C>[];
  index = 0;
  stopped = false;
  /** It was stopped with an error whose message is the response. */
  hasMessage = false;
  /** True if the response was decided while handlers were at work: by a timeout or by the failure of another one. */
  isAbandoned = false;
  /** A handler is being called: what it starts is looked after when it returns. */
  isWalking = false;
  /** The last of the asynchronous rests of the chain; each knows the one before it. */
  rest: NextPromise | undefined = undefined;
  /** The handlers behind this position were left to themselves: their outcome does not matter any more. */
  abandonedFrom: number = Infinity;

  constructor(handlers: readonly Step<C>[]) {
    this.handlers = handlers;
  }
}

/** What a walk along a chain needs of a request. */
export interface Walker<C> extends Concluder {
  readonly context: C;
  readonly draft: Draft;
  readonly chain: Chain<C>;
  /** Told of a handler that returned what is not a response. */
  reportReturned(value: unknown): void;
}

/** Takes what a handler returned: a `Response` is the response, any other value a mistake of unchecked code. */
export function accept<C>(walker: Walker<C>, returned: unknown): void {
  if (isResponse(returned)) adopt(walker.draft, returned);
  // Neither null nor a truth value is worth a word: `condition && ctx.JSON(value)` leaves them behind.
  else if (returned !== undefined && returned !== null && typeof returned !== "boolean") {
    walker.reportReturned(returned);
  }
}

/**
 * Runs the first handler.
 *
 * @returns What it returned, where it or something below is asynchronous; {@linkcode settle} brings it to its end.
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
 * Brings a handler to its end: takes what it returned, and waits for all that it started and nothing else waits for.
 *
 * @param walker The request.
 * @param at The position of the handler.
 * @param value What it returned, or what its promise resolved to.
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
 * @returns A promise only if something of it is asynchronous.
 */
export function runChain<C>(walker: Walker<C>): Promise<void> | undefined {
  return start(walker)?.then((value) => settle(walker, 0, value));
}

/** Runs the next handler, if there is one and the chain is not stopped. */
export function next<C>(walker: Walker<C>): Promise<void> | undefined {
  const { chain, draft: { gate } } = walker;
  // A handler that is late must not run the chain of an error page.
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
  // The handler that asked has gone on after it returned: no walk will look after it.
  if (!chain.isWalking) chain.rest.guard();
  return chain.rest;
}

/**
 * Calls a handler that no other one is calling, and guards the rests that it and those below started and none of them
 * is about to listen to. Once for all of them, since promises settle when the walk is over: for each handler it costs
 * 20 ns.
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

/** Reports whether a handler that returns what `ctx.Next()` gave it has started nothing beside it. */
function isAll(rest: NextPromise | undefined, at: number): rest is NextPromise {
  for (let other = rest?.previous; other !== undefined; other = other.previous) {
    if (other.at > at && other.at < (rest?.at ?? 0) && !other.isAttended) return false;
  }
  return rest !== undefined;
}

/** Waits for a rest, then for the others. An error counts only where no handler has taken charge of it. */
async function attend<C>(walker: Walker<C>, at: number, rest: NextPromise): Promise<void> {
  try {
    await rest.settled();
  } catch (error) {
    if (!rest.isObserved) throw error;
  }
  await settle(walker, at, undefined);
}

/**
 * Leaves the handlers behind a position to themselves: no handler above waits for them, and none runs after them.
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

/** The promise of a handler that did not return a native one: what acts like a promise, or what it left to wait for. */
function later<C>(walker: Walker<C>, at: number, result: Returned): Promise<unknown> | undefined {
  if (result instanceof NextPromise) return result;
  return isThenable(result) ? Promise.resolve(result) : settle(walker, at, result);
}
