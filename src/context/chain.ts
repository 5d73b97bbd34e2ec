/**
 * The walk along the handlers of a request.
 *
 * As long as handlers are synchronous no promise is made. Where one is asynchronous, everybody above it waits for it,
 * also a middleware that called `ctx.Next()` and forgot to await it: its answer would leave half written.
 *
 * @module
 */

import type { Context } from "./context.ts";
import { adopt, type Draft } from "../response/draft.ts";
import type { Handler } from "./handler.ts";

/** The handlers of a request and how far it has come. */
export class Chain {
  handlers: readonly Handler[];
  index = 0;
  stopped = false;
  /** By position: the asynchronous rest of the chain from there on. */
  rests: (Rest | undefined)[] | undefined = undefined;

  constructor(handlers: readonly Handler[]) {
    this.handlers = handlers;
  }
}

/**
 * The promise that `ctx.Next()` answers.
 *
 * It knows whether anybody listens to it: an error below belongs to whoever awaits it, and to the request where nobody
 * does. A native promise cannot tell, because `await` does not call its `then`.
 */
class Rest implements Promise<void> {
  readonly settled: Promise<void>;
  /** Some handler listens to it. */
  observed = false;
  /** Some handler above is not through before it is. */
  attended = false;

  constructor(settled: Promise<void>) {
    this.settled = settled;
    // Whoever is responsible sees the rejection through another branch; this one only keeps it from being stray.
    settled.catch(ignore);
  }

  get [Symbol.toStringTag](): string {
    return "Promise";
  }

  then<A = void, B = never>(
    done?: ((value: void) => A | PromiseLike<A>) | null,
    failed?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    this.observed = true;
    return this.settled.then(done, failed);
  }

  catch<B = never>(failed?: ((reason: unknown) => B | PromiseLike<B>) | null): Promise<void | B> {
    return this.then(undefined, failed);
  }

  finally(done?: (() => void) | null): Promise<void> {
    this.observed = true;
    return this.settled.finally(done);
  }
}

/** Runs the first handler; answers a promise only if something below is asynchronous. */
export function start(ctx: Context, chain: Chain, draft: Draft): Promise<void> | undefined {
  const first = chain.handlers[0];
  if (first === undefined) return undefined;
  const result = first(ctx);
  return result === undefined && chain.rests === undefined ? undefined : conclude(chain, draft, 0, result);
}

/** Runs the next handler, if there is one and nobody stopped the chain. */
export function next(ctx: Context, chain: Chain, draft: Draft): Promise<void> | undefined {
  if (chain.stopped) return undefined;
  const at = ++chain.index;
  const handler = chain.handlers[at];
  if (handler === undefined) return undefined;
  const result = handler(ctx);
  if (result === undefined && chain.rests === undefined) return undefined;
  const settled = conclude(chain, draft, at, result);
  if (settled === undefined) return undefined;
  const rest = new Rest(settled);
  (chain.rests ??= [])[at] = rest;
  return rest;
}

function conclude(
  chain: Chain,
  draft: Draft,
  at: number,
  result: void | Response | Promise<void | Response>,
): Promise<void> | undefined {
  if (isThenable(result)) return concludeLater(chain, draft, at, result);
  if (result instanceof Response) adopt(draft, result);
  return nextUnattended(chain, at) === undefined ? undefined : attend(chain, at);
}

async function concludeLater(
  chain: Chain,
  draft: Draft,
  at: number,
  result: Promise<void | Response>,
): Promise<void> {
  const response = await result;
  if (response instanceof Response) adopt(draft, response);
  if (nextUnattended(chain, at) !== undefined) await attend(chain, at);
}

/**
 * Waits for all that a handler set going and nobody below waits for: more than one, where it called `ctx.Next()` twice.
 * An error counts only where no handler has taken charge of it.
 */
async function attend(chain: Chain, at: number): Promise<void> {
  for (let rest = nextUnattended(chain, at); rest !== undefined; rest = nextUnattended(chain, at)) {
    rest.attended = true;
    try {
      await rest.settled;
    } catch (error) {
      if (!rest.observed) throw error;
    }
  }
}

function nextUnattended(chain: Chain, at: number): Rest | undefined {
  const { rests } = chain;
  if (rests === undefined) return undefined;
  for (let below = at + 1; below < rests.length; below++) {
    const rest = rests[below];
    if (rest !== undefined && !rest.attended) return rest;
  }
  return undefined;
}

/** Says whether a value is a promise, or acts like one. */
export function isThenable(value: unknown): value is Promise<unknown> {
  return typeof value === "object" && value !== null && "then" in value && typeof value.then === "function";
}

function ignore(): void {}
