/**
 * Measures how the time of a regular expression grows with its input.
 *
 * @module
 */

import { processorTime } from "../../growth.ts";
import { type Hostile, hostileInput } from "./hostile.ts";

/** The maximum number of inputs per pattern. */
const MOST = 300;
/** The lengths of the input. A pattern that takes exponential time is recognized by the first ones. */
const lengths = [16, 24, 128, 512, 2_048, 16_384];
/**
 * The maximum CPU time for one input, in milliseconds. Linear patterns take less than 1 ms for the longest input, and
 * quadratic ones more than 10 ms.
 */
const LIMIT_MS = 3;

/** Returns an input for which a pattern takes too long, or `undefined` if there is none. */
export function slowInput(source: string, flags: string): Hostile | undefined {
  const pattern = new RegExp(source, flags);
  const all = hostileInput(source, flags);
  const step = Math.max(1, all.length / MOST);
  for (let at = 0; at < all.length; at += step) {
    const input = all[Math.floor(at)];
    if (input !== undefined && lengths.some((length) => isSlow(pattern, lengthened(input, length)))) return input;
  }
  return undefined;
}

function lengthened({ start, repeated, end }: Hostile, length: number): string {
  return start + repeated.repeat(Math.ceil(length / repeated.length)) + end;
}

/** Reports whether a pattern repeatedly takes too long for a string. */
function isSlow(pattern: RegExp, text: string): boolean {
  for (let run = 0; run < 3; run++) {
    const clock = performance.now();
    const start = run === 0 ? undefined : processorTime();
    pattern.lastIndex = 0;
    // A global pattern is applied to the whole text.
    if (pattern.global) text.replace(pattern, "");
    else pattern.test(text);
    // The CPU clock is slow, and rarely needed.
    if (start === undefined) {
      if (performance.now() - clock < LIMIT_MS) return false;
      continue;
    }
    if (processorTime() - start < LIMIT_MS) return false;
  }
  return true;
}
