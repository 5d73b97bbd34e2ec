/**
 * Measures how CPU time grows with the size of the input. Ratios are used, so that the speed of the machine does not
 * matter, and the CPU time of the thread, so that other programs do not matter either.
 *
 * @module
 */

import { AssertionError } from "@std/assert";
import process from "node:process";
import { isFastRun } from "./runs.ts";

const runs = 3;
const attempts = 10;
// For 4 times the input, linear work takes 4 times as long, and quadratic work 16 times.
const most = 9;
// Below this CPU time, in milliseconds, the clock resolution and the garbage collector dominate.
const least = 0.5;

/**
 * Checks that the CPU time grows at most linearly. The size is doubled twice.
 *
 * @param work The function to measure.
 * @param options The initial size, and a function that creates an input of a given size before the measurement.
 */
export async function assertLinear<T>(
  work: (input: T) => unknown | Promise<unknown>,
  options: { size: number; prepare: (size: number) => T },
): Promise<void> {
  // A fast run has no time for long inputs.
  if (isFastRun()) return;
  const { size, prepare } = options;
  const inputs = [prepare(size), prepare(4 * size)] as const;
  let small = Infinity;
  let large = Infinity;
  let ratio = Infinity;
  for (let attempt = 0; attempt < attempts && ratio > most; attempt++) {
    small = Math.min(small, await best(work, inputs[0], least));
    // Further runs of the large input could only confirm a ratio that is low enough.
    large = Math.min(large, await best(work, inputs[1], most * Math.max(small, least)));
    ratio = large / Math.max(small, least);
    // A single run is enough to see that it takes much too long.
    if (large > 5000) break;
  }
  if (ratio > most) throw new AssertionError(`4 times the input took ${ratio.toFixed(1)} times as long`);
}

/**
 * Returns the shortest of several runs, because other load on the machine only adds to the time. The first run that is
 * short enough is the last one.
 */
async function best<T>(work: (input: T) => unknown | Promise<unknown>, input: T, enough: number): Promise<number> {
  let shortest = Infinity;
  for (let run = 0; run < runs && shortest > enough; run++) {
    const begin = processorTime();
    await work(input);
    shortest = Math.min(shortest, processorTime() - begin);
    if (shortest > 2000) break;
  }
  return shortest;
}

/** Returns the CPU time of this thread in milliseconds, or that of the process if the system has no such clock. */
export function processorTime(): number {
  const { user, system } = clock === undefined ? process.cpuUsage() : { user: threadMicros(clock), system: 0 };
  return (user + system) / 1000;
}

/** The times reported by Deno and Node.js are only accurate to 10 ms. */
const clock = Deno.build.os === "linux"
  ? Deno.dlopen("libc.so.6", { clock_gettime: { parameters: ["i32", "buffer"], result: "i32" } })
  : undefined;
const threadClock = 3;
const moment = new BigInt64Array(2);

function threadMicros({ symbols }: NonNullable<typeof clock>): number {
  symbols.clock_gettime(threadClock, moment);
  return Number(moment[0]) * 1e6 + Number(moment[1]) / 1000;
}
