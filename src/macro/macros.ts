/**
 * The types and functions that path templates can name: those that fw brings along, and those that are registered.
 *
 * @module
 */

import { FrameworkError } from "../base/errors.ts";
import { restoreSlashes } from "../base/text.ts";
import type { ParamType } from "./param_type.ts";
import { BUILTIN_TYPES, type ValueKind } from "./types.ts";

/** Builds one check from a function's arguments, which are given as strings; it may throw when they make no sense. */
export type ParamFuncBuilder = (...args: string[]) => (value: string) => boolean;

/** A type as the registry keeps it: nothing left out, methods bound, safe from later changes to the original. */
interface TypeEntry {
  readonly type: ParamType;
  readonly kind: ValueKind;
}

/** The kind of a type's values. */
export let kindOf: (macros: Macros, typeName: string) => ValueKind;
/** Finds the function of that name for a type, if it has one. */
export let findFunction: (macros: Macros, typeName: string, name: string) => ParamFunction | undefined;
/** Reports whether any type has a function of that name. */
export let knowsFunction: (macros: Macros, name: string) => boolean;

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
const BAD_NAME = "a name is one or more letters, digits and underscores and does not begin with a digit";
const ALL_KINDS: readonly ValueKind[] = ["number", "bigint", "text", "other"];
const ANY_TYPE = "*";
const BUILTIN_ENTRIES: ReadonlyMap<string, TypeEntry> = builtinEntries();

/**
 * The registry of one application's parameter types and functions, which `app.Macros()` returns.
 *
 * @example A custom type and a custom function
 * ```ts
 * import * as fw from "@fw/web";
 *
 * const app = fw.New();
 * app.Macros()
 *   .Register({ Name: "shout", Test: (text, start, end) => /^[A-Z]+$/.test(text.slice(start, end)) })
 *   .RegisterFunc("string", "without", (part = "") => (value) => !value.includes(part));
 * app.Get("/{word:shout}", (ctx) => ctx.WriteString("loud"));
 * app.Get("/{s:string without(x)}", (ctx) => ctx.WriteString("no x"));
 *
 * await (await app.fetch(new Request("http://localhost/HEY"))).text(); // → "loud"
 * await (await app.fetch(new Request("http://localhost/abc"))).text(); // → "no x"
 * (await app.fetch(new Request("http://localhost/xyz"))).status; // → 404
 * ```
 */
export class Macros {
  #types = new Map<string, TypeEntry>();
  #functions = new Map<string, ParamFunction>();

  /**
   * Adds a parameter type.
   *
   * @param type The type; its name and aliases must be new.
   * @returns This registry.
   */
  Register(type: ParamType): this {
    const name: unknown = type?.Name;
    if (typeof name !== "string" || !NAME.test(name)) throw refusal("type", name, BAD_NAME);
    if (typeof type.Test !== "function") throw refusal("type", name, "it has no Test function");
    if (type.Convert !== undefined && typeof type.Convert !== "function") {
      throw refusal("type", name, "its Convert is not a function");
    }
    if (type.Rank !== undefined && !Number.isFinite(type.Rank)) {
      throw refusal("type", name, `its Rank "${type.Rank}" is not a number`);
    }
    const names = [name, ...(type.Aliases ?? [])];
    for (const [index, each] of names.entries()) {
      if (typeof each !== "string" || !NAME.test(each)) throw refusal("type", each, BAD_NAME);
      if (this.#find(each) || names.indexOf(each) !== index) throw refusal("type", each, "the name is taken");
    }
    const entry = { type: fixed(type), kind: type.Convert ? "other" : "text" } as const;
    for (const each of names) this.#types.set(each, entry);
    return this;
  }

  /**
   * Adds a function that parameters of one type, or of every type, may carry.
   *
   * @param typeName The type, or `*` for every type.
   * @param name The name of the function in templates.
   * @param build Called once for each use in a template, with the arguments as strings; what it returns checks values.
   * @returns This registry.
   */
  RegisterFunc(typeName: string, name: string, build: ParamFuncBuilder): this {
    if (typeof name !== "string" || !NAME.test(name) || name === "else") throw refusal("function", name, BAD_NAME);
    if (typeof build !== "function") throw refusal("function", name, "its builder is not a function");
    const owner = typeName === ANY_TYPE ? ANY_TYPE : this.#find(typeName)?.type.Name;
    if (owner === undefined) throw refusal("function", name, `there is no parameter type "${typeName}"`);
    const taken = owner === ANY_TYPE ? knowsFunction(this, name) : findFunction(this, owner, name) !== undefined;
    if (taken) throw refusal("function", name, "the name is taken");
    this.#functions.set(`${owner} ${name}`, custom(name, build));
    return this;
  }

  /**
   * Finds a type by its name or an alias.
   *
   * @param name The name, as in templates.
   * @returns The type, or undefined when there is none.
   */
  Get(name: string): ParamType | undefined {
    return this.#find(name)?.type;
  }

  static {
    kindOf = (macros, typeName) => macros.#find(typeName)?.kind ?? "other";
    findFunction = (macros, typeName, name) => {
      const kind = kindOf(macros, typeName);
      return macros.#functions.get(`${typeName} ${name}`) ??
        macros.#functions.get(`${ANY_TYPE} ${name}`) ??
        BUILTIN_FUNCTIONS.find((each) => each.name === name && each.kinds.includes(kind));
    };
    knowsFunction = (macros, name) =>
      BUILTIN_FUNCTIONS.some((each) => each.name === name) ||
      macros.#functions.values().some((each) => each.name === name);
  }

  #find(name: string): TypeEntry | undefined {
    return this.#types.get(name) ?? BUILTIN_ENTRIES.get(name);
  }
}

function refusal(what: "type" | "function", name: unknown, reason: string): FrameworkError {
  return new FrameworkError("FW_MACRO", `Cannot register parameter ${what} "${String(name)}": ${reason}`);
}

/** A custom function: any number of arguments, but not fewer than its builder names. */
function custom(name: string, build: ParamFuncBuilder): ParamFunction {
  return {
    name,
    kinds: ALL_KINDS,
    count: [build.length, Infinity],
    takes: build.length === 1 ? "one argument or more" : `${build.length} arguments or more`,
    reading: "items",
    build(args) {
      const test: unknown = build(...args);
      if (typeof test !== "function") throw new TypeError("The builder did not return a function");
      const key = `${name}(${args.map((argument) => JSON.stringify(argument)).join(",")})`;
      return { test: test as (value: string) => boolean, key, width: 0.5 };
    },
  };
}

/** A copy that needs no `this`, so that the router calls `Test` straight; it sees an escaped slash as a slash. */
function fixed(type: ParamType): ParamType {
  const trailing = type.Trailing === true;
  const test = type.Test.bind(type);
  return Object.freeze({
    Name: type.Name,
    Aliases: Object.freeze([...(type.Aliases ?? [])]),
    Rank: type.Rank ?? (trailing ? 950 : 500),
    Trailing: trailing,
    Test: (text: string, start: number, end: number) => test(restoreSlashes(text), start, end),
    ...(type.Convert ? { Convert: type.Convert.bind(type) } : {}),
  });
}

function builtinEntries(): Map<string, TypeEntry> {
  const entries = new Map<string, TypeEntry>();
  for (const row of BUILTIN_TYPES) {
    const entry = { type: row, kind: row.kind };
    for (const name of [row.Name, ...(row.Aliases ?? [])]) entries.set(name, entry);
  }
  return entries;
}

/** A function with its arguments, ready to run. */
export interface Check {
  /** Reports whether an accepted value of the type also passes this function. */
  readonly test: (value: string) => boolean;
  /** The function as one text that is equal for equal demands: `eqor(b,a)` and `eqor(a,b)` have one. */
  readonly key: string;
  /** Of two functions where all that passes the one passes the other, the one's width is lower; above 0, at most 1. */
  readonly width: number;
}

/** One function of the path template, such as `min` in `{id:int min(1)}`. */
export interface ParamFunction {
  /** The name in templates. */
  readonly name: string;
  /** The kinds of value that it can check. */
  readonly kinds: readonly ValueKind[];
  /** The fewest and the most arguments. */
  readonly count: readonly [number, number];
  /** The arguments in words, for errors. */
  readonly takes: string;
  /** How the text between the parentheses is read: split at commas, the same in optional brackets, or as it stands. */
  readonly reading: "items" | "list" | "raw";
  /** Builds the check; undefined when the arguments are not what {@linkcode takes} says. */
  build(args: readonly string[], kind: ValueKind): Check | undefined;
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
const SOME_TEXTS = { kinds: TEXTS, count: [1, Infinity], takes: "one text or more", reading: "list" } as const;
const ONE_EXPRESSION = { kinds: TEXTS, count: [1, 1], takes: "one regular expression", reading: "raw" } as const;

/** The built-in functions. A name may stand in several rows, one for each kind of value. */
const BUILTIN_FUNCTIONS: readonly ParamFunction[] = [
  { name: "min", ...ONE_INTEGER, build: ([low], kind) => between("min", low, undefined, kind) },
  { name: "max", ...ONE_INTEGER, build: ([high], kind) => between("max", undefined, high, kind) },
  { name: "range", ...TWO_INTEGERS, build: ([low, high], kind) => between("range", low, high, kind) },
  { name: "min", ...ONE_LENGTH, build: ([n]) => lengthAtLeast(n) },
  { name: "max", ...ONE_LENGTH, build: ([n]) => lengthAtMost(n) },
  { name: "prefix", ...ONE_TEXT, build: ([s = ""]) => part("prefix", s, (value) => value.startsWith(s)) },
  { name: "suffix", ...ONE_TEXT, build: ([s = ""]) => part("suffix", s, (value) => value.endsWith(s)) },
  { name: "contains", ...ONE_TEXT, build: ([s = ""]) => part("contains", s, (value) => value.includes(s)) },
  { name: "eq", ...ONE_TEXT, build: (args) => oneOf(args) },
  { name: "eqor", ...SOME_TEXTS, build: (args) => oneOf(args) },
  { name: "regexp", ...ONE_EXPRESSION, build: ([source = ""]) => expression(source) },
];

/** A whole number between two bounds, each of which may be left out and belongs to the range. */
function between(name: string, low: string | undefined, high: string | undefined, kind: ValueKind): Check | undefined {
  const from = low === undefined ? undefined : integer(low);
  const to = high === undefined ? undefined : integer(high);
  if ((low !== undefined && from === undefined) || (high !== undefined && to === undefined)) return undefined;
  if (from !== undefined && to !== undefined && from > to) return undefined;
  const bounds = [from, to].filter((bound) => bound !== undefined);
  return {
    test: kind === "bigint"
      ? boundsTest(BigInt, from, to)
      // Safe integers compare rightly with a bound that rounds: it stays beyond them all.
      : boundsTest(Number, from === undefined ? from : Number(from), to === undefined ? to : Number(to)),
    key: `${name}(${bounds.join(",")})`,
    width: Math.min((to === undefined ? 1 : position(to)) - (from === undefined ? 0 : position(from)) + 1e-6, 1),
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

/** Where a number lies on the whole line, from 0 to 0.999: it only has to grow with the number. */
function position(value: bigint): number {
  const share = Math.log2(Number(value < 0n ? -value : value) + 1) / 130;
  return Math.min(Math.max(0.4995 + (value < 0n ? -share : share), 0), 0.999);
}

function lengthAtLeast(argument: string | undefined): Check | undefined {
  const n = integer(argument);
  if (n === undefined || n < 0n) return undefined;
  return { test: (value) => length(value) >= n, key: `min(${n})`, width: 1 / (1 + Number(n)) };
}

function lengthAtMost(argument: string | undefined): Check | undefined {
  const n = integer(argument);
  if (n === undefined || n < 0n) return undefined;
  return { test: (value) => length(value) <= n, key: `max(${n})`, width: (1 + Number(n)) / (2 + Number(n)) };
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

/** The whole value must match, as a reader of `regexp([0-9]+)` expects; `^` and `$` may be written and change nothing. */
function expression(source: string): Check {
  // Alone first: "a)(b" must not become sound by the group around it.
  const alone = new RegExp(source, "u");
  const whole = new RegExp(`^(?:${alone.source})$`, "u");
  return { test: (value) => whole.test(value), key: `regexp(${JSON.stringify(source)})`, width: 0.5 };
}

/** The length in characters, not in UTF-16 units. */
function length(value: string): number {
  let count = 0;
  for (const _ of value) count++;
  return count;
}

function integer(text: string | undefined): bigint | undefined {
  return text !== undefined && /^[+-]?\d+$/.test(text) ? BigInt(text) : undefined;
}
