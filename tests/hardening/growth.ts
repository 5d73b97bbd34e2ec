/**
 * Measures whether work grows faster than its input, by running the same attack at a size, at twice and at four times
 * the size.
 *
 * The attacked process reports its own CPU time, because that is much less affected by other load on the machine than
 * the elapsed time.
 *
 * @module
 */

import type { Expectation } from "./attack.ts";
import type { Outcome } from "./outcome.ts";
import { get } from "./requests.ts";
import type { Wire } from "./wire.ts";

/** The maximum cost ratio for four times the input. Quadratic work would cost 16 times as much. */
const bound = 9;
/** A search that skips bytes reads one byte in seventy, while a search that cannot skip reads each byte. */
const besideBound = 40;
/** The cost of any request, in microseconds. Growth below it is not significant. */
const floor = 4_000;
const tries = 3;

/** Sends an attack with increasing size. The figures of the outcome are the costs in microseconds. */
export function growing(size: number, make: (size: number) => string): (wire: Wire) => Promise<Outcome> {
  return (wire) => measure(wire, [1, 2, 4].map((factor) => make(factor * size)), bound);
}

/** Sends a harmless request and an attack of the same size. The figures are the costs of both. */
export function beside(harmless: string, attack: string): (wire: Wire) => Promise<Outcome> {
  return (wire) => measure(wire, [harmless, attack], besideBound);
}

/** Expects the attack to cost no more than reading all of its bytes. The harmless request needs only a few of them. */
export const costsLittleMore: Expectation = {
  words: `takes at most ${besideBound} times as long as for a harmless request of that size`,
  holds: ({ figures: [harmless = NaN, attack = NaN] = [] }) => attack <= besideBound * Math.max(harmless, floor),
};

/** Returns the lowest costs of several tries. Further tries could only confirm a cost that is low enough. */
async function measure(wire: Wire, sizes: readonly string[], most: number): Promise<Outcome> {
  // The first request of a kind costs more than later ones.
  let last = await wire.send(sizes[0] ?? "");
  const best: number[] = [];
  for (const [at, bytes] of sizes.entries()) {
    const enough = at === 0 ? floor : most * Math.max(best[0] ?? 0, floor);
    let cost = Infinity;
    for (let i = 0; i < tries && cost > enough; i++) {
      const before = await processorTime(wire);
      last = await wire.send(bytes);
      // The client has timed out. Only a parser whose cost has exploded takes this long.
      if (last.replies.length === 0 && last.end === "open") return { ...last, figures: [0, Infinity] };
      cost = Math.min(cost, await processorTime(wire) - before);
    }
    best.push(cost);
  }
  return { ...last, figures: best };
}

/** Expects the cost to grow at most linearly. */
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
