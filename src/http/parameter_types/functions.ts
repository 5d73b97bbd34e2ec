/**
 * The built-in parameter functions.
 *
 * @module
 */

import type { ValueKind } from "./types.ts";

/** A function with its arguments, ready to run. */
export interface Check {
  /** Reports whether a value accepted by the type also satisfies this function. */
  readonly test: (value: string) => boolean;
  /** A string that is equal for equivalent functions: `eqor(b,a)` and `eqor(a,b)` have the same key. */
  readonly key: string;
  /**
   * The width of the function, above 0 and at most 1. If a second function accepts all values that this one accepts,
   * the second one must have a higher width.
   */
  readonly width: number;
}

/** An argument of a function: a string, or a list in brackets. */
export type Argument = string | readonly string[];

/** A function in a path template, such as `min` in `{id:int min(1)}`. */
export interface ParamFunction<A extends Argument = string> {
  /** The function's name in templates. */
  readonly name: string;
  /** The kinds of values that the function can check. */
  readonly kinds: readonly ValueKind[];
  /** The minimum and maximum number of arguments. */
  readonly count: readonly [number, number];
  /** A description of the arguments, for error messages. */
  readonly takes: string;
  /**
   * The parsing mode for the text between the parentheses: split at commas, split at commas with optional brackets, a
   * single argument, or split at commas with lists in brackets.
   */
  readonly reading: "items" | "list" | "raw" | "values";
  /**
   * Builds the check. Returns `undefined` if the arguments do not match {@linkcode takes}. Arguments can be lists only
   * in the mode `values`.
   */
  build(args: readonly A[], kind: ValueKind): Check | undefined;
}

const INTEGERS: readonly ValueKind[] = ["number", "bigint"];
const TEXTS: readonly ValueKind[] = ["text"];
const ONE_INTEGER = { kinds: INTEGERS, count: [1, 1], takes: "one integer", reading: "items" } as const;
const TWO_INTEGERS = {
  kinds: INTEGERS,
  count: [2, 2],
  takes: "two integers, the lower one first",
  reading: "items",
} as const;
const ONE_LENGTH = { kinds: TEXTS, count: [1, 1], takes: "one length", reading: "items" } as const;
const ONE_TEXT = { kinds: TEXTS, count: [1, 1], takes: "one text", reading: "items" } as const;
const SOME_TEXTS = { kinds: TEXTS, count: [1, Infinity], takes: "one or more strings", reading: "list" } as const;
const ONE_EXPRESSION = { kinds: TEXTS, count: [1, 1], takes: "one regular expression", reading: "raw" } as const;

/** The built-in functions. A name can appear in several entries, one for each kind of value. */
export const BUILTIN_FUNCTIONS: readonly ParamFunction[] = [
  { name: "min", ...ONE_INTEGER, build: ([low], kind) => between("min", low, undefined, kind) },
  { name: "max", ...ONE_INTEGER, build: ([high], kind) => between("max", undefined, high, kind) },
  { name: "range", ...TWO_INTEGERS, build: ([low, high], kind) => between("range", low, high, kind) },
  { name: "min", ...ONE_LENGTH, build: ([n]) => lengthCheck("min", n) },
  { name: "max", ...ONE_LENGTH, build: ([n]) => lengthCheck("max", n) },
  { name: "prefix", ...ONE_TEXT, build: ([s = ""]) => part("prefix", s, (value) => value.startsWith(s)) },
  { name: "suffix", ...ONE_TEXT, build: ([s = ""]) => part("suffix", s, (value) => value.endsWith(s)) },
  { name: "contains", ...ONE_TEXT, build: ([s = ""]) => part("contains", s, (value) => value.includes(s)) },
  { name: "eq", ...ONE_TEXT, build: (args) => oneOf(args) },
  { name: "eqor", ...SOME_TEXTS, build: (args) => oneOf(args) },
  { name: "regexp", ...ONE_EXPRESSION, build: ([source = ""]) => expression(source) },
];

/** Builds a check for an integer within an inclusive range. Either bound may be omitted. */
function between(name: string, low: string | undefined, high: string | undefined, kind: ValueKind): Check | undefined {
  const from = integer(low);
  const to = integer(high);
  if ((low !== undefined && from === undefined) || (high !== undefined && to === undefined)) return undefined;
  if (from !== undefined && to !== undefined && from > to) return undefined;
  const bounds = [from, to].filter((bound) => bound !== undefined);
  return {
    test: kind === "bigint"
      ? boundsTest(BigInt, from, to)
      // If a bound is rounded, it is larger than any safe integer, so comparisons with it are still correct.
      : boundsTest(Number, from === undefined ? from : Number(from), to === undefined ? to : Number(to)),
    key: `${name}(${bounds.join(",")})`,
    width: Math.min(position(to, 1) - position(from, 0) + 1e-6, 1),
  };
}

function boundsTest<T extends number | bigint>(
  read: (value: string) => T,
  from: T | undefined,
  to: T | undefined,
): (value: string) => boolean {
  return (value) => {
    const number = read(value);
    return (from === undefined || number >= from) && (to === undefined || number <= to);
  };
}

/** Maps an integer to a position from 0 to 0.999 that increases with the integer. The fallback is for no integer. */
function position(value: bigint | undefined, fallback: number): number {
  if (value === undefined) return fallback;
  const share = Math.log2(Number(value < 0n ? -value : value) + 1) / 130;
  return Math.min(Math.max(0.4995 + (value < 0n ? -share : share), 0), 0.999);
}

function lengthCheck(name: "min" | "max", argument: string | undefined): Check | undefined {
  const n = Number(integer(argument) ?? -1n);
  if (n < 0) return undefined;
  const isLeast = name === "min";
  return {
    test: (value) => isLeast ? length(value) >= n : length(value) <= n,
    key: `${name}(${n})`,
    width: (isLeast ? 1 : 1 + n) / ((isLeast ? 1 : 2) + n),
  };
}

function part(name: string, text: string, test: (value: string) => boolean): Check {
  const share = name === "contains" ? 1 : 0.9;
  return { test, key: `${name}(${JSON.stringify(text)})`, width: share / (1 + text.length) };
}

function oneOf(texts: readonly string[]): Check {
  const set = new Set(texts);
  const key = [...set].sort().map((text) => JSON.stringify(text)).join(",");
  return { test: (value) => set.has(value), key: `eqor(${key})`, width: 1e-6 * set.size / (1 + set.size) };
}

/**
 * Builds a check with a regular expression. The whole value must match, as users expect for `regexp([0-9]+)`, with or
 * without `^` and `$`.
 */
function expression(source: string): Check {
  // Compile the expression by itself first. Otherwise, the added group would make "a)(b" valid.
  const alone = new RegExp(source, "u");
  const whole = new RegExp(`^(?:${alone.source})$`, "u");
  return { test: (value) => whole.test(value), key: `regexp(${JSON.stringify(source)})`, width: 0.5 };
}

/** Returns the length in characters rather than UTF-16 code units. */
function length(value: string): number {
  let count = 0;
  for (const _ of value) count++;
  return count;
}

function integer(text: string | undefined): bigint | undefined {
  return text !== undefined && /^[+-]?\d+$/.test(text) ? BigInt(text) : undefined;
}
