/**
 * Joins lists of handlers into one chain. Each list runs only if the one before it stopped and decided nothing.
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
  /** The number of middleware handlers at the start of the list. If one of them stops, no other list runs. */
  readonly guards: number;
  /** Whether no other list may run once this one has started, because the request selected it. */
  readonly isSelected: boolean;
  /** Reports whether the handlers accept this request. */
  matches(ctx: Context): boolean;
  /** Prepares the request for the handlers. */
  enter?(exchange: Exchange<Context>): void;
}

/** The operations between alternatives. `S` is the state of the response before an alternative. */
interface Rules<S> {
  /** Records the state of the response before an alternative. */
  readonly note: (exchange: Exchange<Context>) => S;
  /** Reports whether an alternative that stopped has decided nothing about the response. */
  readonly isUndecided: (exchange: Exchange<Context>, noted: S) => boolean;
  /** Reverts the changes of an alternative. */
  readonly takeBack: (exchange: Exchange<Context>, noted: S) => void;
  /** Creates the response if no alternative accepts the request. */
  readonly refuse: Handler | undefined;
}

/** Joins alternatives into one list of handlers for the end of a chain. */
export function joinAlternatives<S extends object>(alternatives: readonly Alternative[], rules: Rules<S>): Handler[] {
  const offsets: number[] = [];
  const handlers: Handler[] = [overlap];
  for (const alternative of alternatives) {
    offsets.push(handlers.length - 1);
    handlers.push(...alternative.handlers, endOfAlternative);
  }

  async function overlap(ctx: Context): Promise<void | Response> {
    const exchange = exchangeOf(ctx);
    const { chain } = exchange;
    let noted: S | undefined;
    let current: Alternative | undefined;
    let behindGuards = 0;

    /** Reports whether the next alternative should run. */
    function isLeft(): boolean {
      if (!chain.stopped || chain.hasResponse || current === undefined || current.isSelected) return false;
      // If the response was decided elsewhere, for example by a timeout, another route must not change it.
      if (chain.isAbandoned || exchange.chain !== chain || noted === undefined) return false;
      return chain.index > chain.handlers.length - behindGuards && rules.isUndecided(exchange, noted);
    }

    for (const [index, alternative] of alternatives.entries()) {
      if (!alternative.matches(ctx)) continue;
      if (noted !== undefined) rules.takeBack(exchange, noted);
      else if (!alternative.isSelected) noted = rules.note(exchange);
      current = alternative;
      alternative.enter?.(exchange);
      chain.stopped = chain.hasResponse = false;
      // Positions are counted from the end, because a handler may have inserted others before them.
      chain.index = chain.handlers.length - handlers.length + (offsets[index] ?? 0);
      behindGuards = chain.handlers.length - chain.index - alternative.guards;
      await next(exchange);
      if (!isLeft()) return;
    }
    if (current === undefined) return await rules.refuse?.(ctx);
  }

  return handlers;
}

/** Prevents handlers from running the next alternative, regardless of how often they call `ctx.Next()`. */
function endOfAlternative(ctx: Context): void {
  const { chain } = exchangeOf(ctx);
  chain.index = chain.handlers.length - 1;
}
