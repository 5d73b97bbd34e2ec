/**
 * The walk along the handlers of a request.
 *
 * As long as handlers are synchronous no promise is created. Where one is asynchronous, all handlers above it wait for
 * it, also a middleware that called `ctx.Next()` and forgot to await it: its response would leave half written.
 *
 * @module
 */

import { isThenable } from "../base/thenable.ts";
import { adopt, type Draft } from "../response/draft.ts";
import { NextPromise } from "./next_promise.ts";

/** What a handler may return. */
export type Returned = void | Response | Promise<void | Response>;

/** A handler, whatever its context is: the chain stands below the context and only passes it on. */
export type Step<C> = (ctx: C) => Returned;

/** The handlers of a request and how far it has come. */
export class Chain<C> {
  readonly handlers: readonly Step<C>[];
  index = 0;
  stopped = false;
  /** By position: the asynchronous rest of the chain from there on. */
  rests: (NextPromise | undefined)[] | undefined = undefined;

  constructor(handlers: readonly Step<C>[]) {
    this.handlers = handlers;
  }
}

/** What a walk along a chain needs of a request. */
export interface Walker<C> {
  readonly context: C;
  readonly draft: Draft;
  readonly chain: Chain<C>;
  /** Told of a handler that returned what is not a response. */
  reportReturned(value: unknown): void;
}

/** Takes what a handler returned: a `Response` is the response, any other value a mistake of unchecked code. */
export function accept<C>(walker: Walker<C>, returned: unknown): void {
  if (returned instanceof Response) adopt(walker.draft, returned);
  // Neither null nor a truth value is worth a word: `condition && ctx.JSON(value)` leaves them behind.
  else if (returned !== undefined && returned !== null && typeof returned !== "boolean") {
    walker.reportReturned(returned);
  }
}

/** Runs the first handler; returns a promise only if something below is asynchronous. */
export function start<C>(walker: Walker<C>): Promise<void> | undefined {
  const { chain } = walker;
  const first = chain.handlers[0];
  if (first === undefined) return undefined;
  const result = first(walker.context);
  return result === undefined && chain.rests === undefined ? undefined : conclude(walker, 0, result);
}

/** Runs the next handler, if there is one and the chain is not stopped. */
export function next<C>(walker: Walker<C>): Promise<void> | undefined {
  const { chain } = walker;
  if (chain.stopped) return undefined;
  const at = ++chain.index;
  const handler = chain.handlers[at];
  if (handler === undefined) return undefined;
  const result = handler(walker.context);
  if (result === undefined && chain.rests === undefined) return undefined;
  const settled = conclude(walker, at, result);
  if (settled === undefined) return undefined;
  const rest = new NextPromise(settled);
  (chain.rests ??= [])[at] = rest;
  return rest;
}

function conclude<C>(walker: Walker<C>, at: number, result: Returned): Promise<void> | undefined {
  if (isThenable(result)) return concludeLater(walker, at, result);
  accept(walker, result);
  return nextUnattended(walker.chain, at) === undefined ? undefined : attend(walker.chain, at);
}

async function concludeLater<C>(walker: Walker<C>, at: number, result: Promise<void | Response>): Promise<void> {
  const { chain } = walker;
  accept(walker, await result);
  if (nextUnattended(chain, at) !== undefined) await attend(chain, at);
}

/**
 * Waits for all that a handler started and that no handler below waits for: more than one, where it called `ctx.Next()`
 * twice. An error counts only where no handler has taken charge of it.
 */
async function attend<C>(chain: Chain<C>, at: number): Promise<void> {
  for (let rest = nextUnattended(chain, at); rest !== undefined; rest = nextUnattended(chain, at)) {
    rest.attended = true;
    try {
      await rest.settled;
    } catch (error) {
      if (!rest.observed) throw error;
    }
  }
}

/**
 * Leaves the handlers behind a position to themselves: no handler above waits for them, and none runs after them.
 *
 * @param chain The chain.
 * @param at The position.
 */
export function abandon<C>(chain: Chain<C>, at: number): void {
  chain.stopped = true;
  for (const rest of chain.rests?.slice(at + 1) ?? []) {
    if (rest !== undefined) rest.attended = true;
  }
}

function nextUnattended<C>(chain: Chain<C>, at: number): NextPromise | undefined {
  const { rests } = chain;
  if (rests === undefined) return undefined;
  for (let below = at + 1; below < rests.length; below++) {
    const rest = rests[below];
    if (rest !== undefined && !rest.attended) return rest;
  }
  return undefined;
}
