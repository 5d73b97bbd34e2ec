/**
 * How the processor time of some work grows with its input: told by ratio, so that a slow machine changes nothing, and by
 * the time of the thread, so that other programs on the machine change nothing either.
 *
 * @module
 */

import { AssertionError } from "@std/assert";
import process from "node:process";
import { isFastRun } from "./runs.ts";

const runs = 3;
const attempts = 10;
// Linear work takes 4 times as long for 4 times the input, quadratic work 16 times.
const most = 9;
// Below this, in milliseconds of processor time, the clock and the garbage collector decide.
const least = 0.5;

/**
 * Checks that the processor time of some work grows no more than linearly: the size is doubled twice.
 *
 * @param work The work.
 * @param options The size to begin with, and what builds an input of a size before the time is taken.
 */
export async function assertLinear<T>(
  work: (input: T) => unknown | Promise<unknown>,
  options: { size: number; prepare: (size: number) => T },
): Promise<void> {
  // A fast run has no time for what can only be seen on long inputs.
  if (isFastRun()) return;
  const { size, prepare } = options;
  const inputs = [prepare(size), prepare(4 * size)] as const;
  let small = Infinity;
  let large = Infinity;
  let ratio = Infinity;
  for (let attempt = 0; attempt < attempts && ratio > most; attempt++) {
    small = Math.min(small, await best(work, inputs[0]));
    large = Math.min(large, await best(work, inputs[1]));
    ratio = large / Math.max(small, least);
    // Once is enough to tell that it takes far too long.
    if (large > 5000) break;
  }
  if (ratio > most) throw new AssertionError(`4 times the input took ${ratio.toFixed(1)} times as long`);
}

/** The shortest of several runs: what others do on this machine only ever adds to it. */
async function best<T>(work: (input: T) => unknown | Promise<unknown>, input: T): Promise<number> {
  let shortest = Infinity;
  for (let run = 0; run < runs && shortest > least; run++) {
    const begin = processorTime();
    await work(input);
    shortest = Math.min(shortest, processorTime() - begin);
    if (shortest > 2000) break;
  }
  return shortest;
}

/** The processor time of this thread so far, in milliseconds; that of the process where the system has no such clock. */
export function processorTime(): number {
  const { user, system } = clock === undefined ? process.cpuUsage() : { user: threadMicros(clock), system: 0 };
  return (user + system) / 1000;
}

/** What Deno and Node.js tell themselves is precise only to 10 ms. */
const clock = Deno.build.os === "linux"
  ? Deno.dlopen("libc.so.6", { clock_gettime: { parameters: ["i32", "buffer"], result: "i32" } })
  : undefined;
const threadClock = 3;
const moment = new BigInt64Array(2);

function threadMicros({ symbols }: NonNullable<typeof clock>): number {
  symbols.clock_gettime(threadClock, moment);
  return Number(moment[0]) * 1e6 + Number(moment[1]) / 1000;
}
