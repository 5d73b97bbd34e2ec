/**
 * Work that must grow no faster than its input: the same attack at a size, at twice and at four times the size.
 *
 * Measured is the processor time of the attacked process, which it tells itself: what else the machine does disturbs
 * that far less than it disturbs the clock.
 *
 * @module
 */

import type { Expectation } from "./attack.ts";
import type { Outcome } from "./outcome.ts";
import { get } from "./requests.ts";
import type { Wire } from "./wire.ts";

/** Four times the input may cost so many times as much; work that grows with the square costs 16 times as much. */
const bound = 9;
/** A search that skips looks at one byte in seventy; one that cannot skip looks at each. */
const besideBound = 40;
/** Costs below this, in microseconds, are those of any request: nothing can be told from how they grow. */
const floor = 4_000;
const tries = 3;

/** Sends an attack of growing size; the figures of the outcome are its costs in microseconds. */
export function growing(size: number, make: (size: number) => string): (wire: Wire) => Promise<Outcome> {
  return (wire) => measure(wire, make(size), [1, 2, 4].map((factor) => make(factor * size)));
}

/** Sends a harmless request and an attack of the same size; the figures are the costs of the one and of the other. */
export function beside(harmless: string, attack: string): (wire: Wire) => Promise<Outcome> {
  return (wire) => measure(wire, harmless, [harmless, attack]);
}

/** The attack costs no more than a walk over all of its bytes, where the harmless request needs only a few of them. */
export const costsLittleMore: Expectation = {
  words: `takes at most ${besideBound} times as long as for a harmless request of that size`,
  holds: ({ figures: [harmless = NaN, attack = NaN] = [] }) => attack <= besideBound * Math.max(harmless, floor),
};

async function measure(wire: Wire, first: string, sizes: readonly string[]): Promise<Outcome> {
  // The first of a kind costs more than those that follow.
  let last = await wire.send(first);
  const best = sizes.map(() => Infinity);
  for (let i = 0; i < tries; i++) {
    for (const [at, bytes] of sizes.entries()) {
      const before = await processorTime(wire);
      last = await wire.send(bytes);
      // The client has lost its patience: nothing of that size takes so long unless it has blown up.
      if (last.replies.length === 0 && last.end === "open") return { ...last, figures: [0, Infinity] };
      best[at] = Math.min(best[at] ?? Infinity, await processorTime(wire) - before);
    }
  }
  return { ...last, figures: best };
}

/** The work grows no faster than the input. */
export const growsLinearly: Expectation = {
  words: "takes at most in proportion longer for twice and four times as much",
  holds: ({ figures = [] }) => isLinear(figures),
};

function isLinear(costs: readonly number[]): boolean {
  return (costs.at(-1) ?? NaN) <= bound * Math.max(costs[0] ?? NaN, floor);
}

async function processorTime(wire: Wire): Promise<number> {
  return Number((await wire.send(get("/cpu"))).replies[0]?.body);
}
