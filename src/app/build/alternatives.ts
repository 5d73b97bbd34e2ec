/**
 * Joins lists of handlers into one chain. Each list runs only if the one before it stopped without a response.
 *
 * All lists are part of a single chain, and each one is followed by an end marker. Timeouts and middleware around them
 * therefore see positions in one chain, regardless of which list runs.
 *
 * @module
 */

import { type Context, exchangeOf } from "../../context/context.ts";
import type { Handler } from "../../context/handler.ts";
import { next } from "../../exchange/chain/chain.ts";
import type { Exchange } from "../../exchange/exchange.ts";

/** A list of handlers that run if the previous list did not respond. */
export interface Alternative {
  readonly handlers: readonly Handler[];
  /** Reports whether the handlers accept this request. */
  matches(ctx: Context): boolean;
  /** Prepares the request for the handlers. */
  enter?(exchange: Exchange<Context>): void;
}

/** The operations between alternatives. `S` is the state of the response before the first alternative. */
interface Rules<S> {
  /** Records the state of the response before the first alternative. */
  readonly note: (exchange: Exchange<Context>) => S;
  /** Reports whether the next alternative should run. */
  readonly isLeft: (exchange: Exchange<Context>, noted: S) => boolean;
  /** Reverts the changes of an alternative. */
  readonly takeBack: (exchange: Exchange<Context>, noted: S) => void;
  /** Creates the response if no alternative accepts the request. */
  readonly refuse: Handler | undefined;
}

/** Joins alternatives into one list of handlers for the end of a chain. */
export function joinAlternatives<S>(alternatives: readonly Alternative[], rules: Rules<S>): Handler[] {
  const offsets: number[] = [];
  const handlers: Handler[] = [overlap];
  for (const alternative of alternatives) {
    offsets.push(handlers.length - 1);
    handlers.push(...alternative.handlers, endOfAlternative);
  }

  function overlap(ctx: Context): Promise<void> | void | Response | Promise<void | Response> {
    const exchange = exchangeOf(ctx);
    const { chain } = exchange;
    const start = chain.index;
    const noted = rules.note(exchange);
    let hasRun = false;
    let at = 0;

    /** Runs alternatives until one of them is asynchronous, and returns its promise. */
    function go(): Promise<void> | undefined {
      while (at < alternatives.length) {
        const index = at++;
        const alternative = alternatives[index];
        if (alternative === undefined || !alternative.matches(ctx)) continue;
        if (hasRun) rules.takeBack(exchange, noted);
        hasRun = true;
        alternative.enter?.(exchange);
        chain.stopped = chain.hasMessage = false;
        chain.index = start + (offsets[index] ?? 0);
        const rest = next(exchange);
        if (rest !== undefined) return rest;
        if (!isLeft()) return undefined;
      }
      return undefined;
    }

    function isLeft(): boolean {
      // If the response was decided elsewhere, for example by a timeout, another route must not change it.
      return chain.stopped && !chain.isAbandoned && exchange.chain === chain && rules.isLeft(exchange, noted);
    }

    async function andThen(first: Promise<void>): Promise<void> {
      for (let rest: Promise<void> | undefined = first; rest !== undefined;) {
        await rest;
        rest = isLeft() ? go() : undefined;
      }
    }

    const rest = go();
    if (rest !== undefined) return andThen(rest);
    return hasRun ? undefined : rules.refuse?.(ctx);
  }

  return handlers;
}

/** Prevents a handler that calls `ctx.Next()` from running the next alternative. */
function endOfAlternative(): void {}
