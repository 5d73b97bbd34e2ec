/**
 * Measures how the cost of something grows with its size, in CPU time.
 *
 * @module
 */

import { processorTime } from "../../growth.ts";

/** Something whose cost grows with its size. */
export interface Curve {
  /** The four sizes. */
  readonly sizes: readonly [number, number, number, number];
  /** The divisor of the cost: the size, or the number of requests, whose cost must not depend on the size. */
  readonly per: "unit" | "request";
  /** Prepares the work for a size. */
  readonly prepare: (size: number) => Work | Promise<Work>;
}

/** Work that can be repeated. */
export interface Work {
  /** Does what is not measured, before each run. */
  readonly before?: () => unknown;
  /** Does the work. */
  readonly run: () => unknown;
  /** The number of times that the work is done in one run. Defaults to 1. */
  readonly times?: number;
  readonly close?: () => unknown;
}

/** A measured curve. */
export interface Measured {
  /** The cost in µs for each size. */
  readonly costs: readonly number[];
  /**
   * By which power of the size the total cost grows: 0 if it does not grow, 1 if it is linear, 2 if it is quadratic.
   */
  readonly power: number;
  readonly isSuperlinear: boolean;
}

const runs = 7;
// Caches and garbage collection make large sizes more expensive per unit, but never by a power.
const most = { unit: 1.3, request: 0.3 };

/** Measures a curve. Each cost is the shortest of several runs, because other load on the machine only adds to it. */
export async function measure({ sizes, per, prepare }: Curve): Promise<Measured> {
  const works = await Promise.all(sizes.map((size) => prepare(size)));
  const best = sizes.map(() => Infinity);
  // The sizes take turns, so that a busy moment of the machine affects all of them.
  for (let run = 0; run < runs; run++) {
    for (const [at, work] of works.entries()) {
      await work.before?.();
      const begin = processorTime();
      for (let time = 0; time < (work.times ?? 1); time++) await work.run();
      const spent = (processorTime() - begin) * 1000 / (work.times ?? 1);
      // The first run is for warming up.
      if (run > 0) best[at] = Math.min(best[at] ?? Infinity, spent);
    }
  }
  for (const work of works) await work.close?.();
  const powerFrom = (at: 0 | 2) => Math.log((best[3] ?? 1) / (best[at] ?? 1)) / Math.log(sizes[3] / sizes[at]);
  const power = powerFrom(0);
  const costs = best.map((cost, at) => per === "unit" ? cost / (sizes[at] ?? 1) : cost);
  // A cache that becomes too small makes one step between two sizes steep. A power makes all of them steep.
  return { costs, power, isSuperlinear: power > most[per] && powerFrom(2) > most[per] };
}
