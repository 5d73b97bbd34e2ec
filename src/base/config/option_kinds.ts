/**
 * The kinds of options that most parts have: their values, ranges and units. `option_shapes.ts` has the others.
 *
 * @module
 */

/**
 * A rule for an option: a row of an option table.
 *
 * @typeParam T The type of the option's values.
 * @typeParam D The type of the default, or `undefined` if there is none.
 */
export interface Option<in out T, out D = unknown> {
  /** The accepted values, such as `a string`. */
  readonly noun: string;
  readonly fallback: D;
  /** The unit of a number, such as `bytes`. */
  readonly unit?: string | undefined;
  readonly range?: Range;
  /** The fixed set of values. */
  readonly values?: readonly unknown[];
  /** The members of an object. */
  readonly members?: Members | undefined;
  /** The items of an array. */
  readonly item?: Members[string] | undefined;
  readonly isRequired?: boolean;
  /** The name of the option before it was renamed, for messages. */
  readonly former?: string;
  /** Whether messages may contain an invalid string. It may be a secret otherwise. */
  readonly isShown?: boolean;
  fits(value: unknown): boolean;
  /** Not set. It makes the compiler compare the types of options. */
  readonly type?: (value: T) => T;
}

/** The rules for the options of a type or for the members of an object. */
// deno-lint-ignore no-explicit-any
export type Members = Readonly<Record<string, Option<any>>>;

/** The values that a number can have. All are finite unless `to` is `Infinity`. */
export interface Range {
  /** The minimum. Defaults to 0. */
  readonly from?: number;
  readonly to?: number;
  /** Whether the number must be greater than 0. */
  readonly isPositive?: boolean;
  readonly isWhole?: boolean;
}

// deno-lint-ignore no-explicit-any
type Func = (...args: any[]) => unknown;

type Test = (value: unknown) => boolean;

/** The longest time of a timer, in milliseconds. Timers with a longer one fire immediately. */
export const LONGEST_TIMER: number = 2 ** 31 - 1;

/** Declares an option with a string. */
export function text<D extends string | undefined = undefined>(fallback?: D): Option<string, D> {
  return kind("a string", isString, fallback);
}

/** Declares an option with a string that is not empty. */
export function filled<D extends string | undefined = undefined>(fallback?: D): Option<string, D> {
  return kind("a non-empty string", (value) => isString(value) && value !== "", fallback);
}

/** Declares an option that is on or off. */
export function flag<D extends boolean | undefined = undefined>(fallback?: D): Option<boolean, D> {
  return kind("a boolean", (value) => typeof value === "boolean", fallback);
}

/** Declares an option with a callback. */
export function func<F extends Func, D extends NoInfer<F> | undefined = undefined>(fallback?: D): Option<F, D> {
  return kind("a function", (value) => typeof value === "function", fallback);
}

/** Declares an option with a valid date. */
export function date(): Option<Date, undefined> {
  return kind("a valid date", (value) => value instanceof Date && !Number.isNaN(value.getTime()), undefined);
}

/** Declares an option with a number without a unit. */
export function amount<D extends number | undefined = undefined>(fallback?: D, range: Range = {}): Option<number, D> {
  return numeric(undefined, fallback, range);
}

/** Declares an option with a positive integer. */
export function count<D extends number | undefined = undefined>(fallback?: D, range: Range = {}): Option<number, D> {
  return numeric(undefined, fallback, { isWhole: true, from: 1, ...range });
}

/** Declares an option with a size in bytes. */
export function bytes<D extends number | undefined = undefined>(fallback?: D, range: Range = {}): Option<number, D> {
  return numeric("bytes", fallback, range);
}

/** Declares an option with a time in milliseconds. */
export function milliseconds<D extends number | undefined = undefined>(
  fallback?: D,
  range: Range = {},
): Option<number, D> {
  return numeric("milliseconds", fallback, range);
}

/** Declares an option with a time limit, in milliseconds, which is passed to a timer. */
export function timeLimit<D extends number | undefined = undefined>(
  fallback?: D,
  range: Range = {},
): Option<number, D> {
  return numeric("milliseconds", fallback, { to: LONGEST_TIMER, isPositive: true, ...range });
}

/** Declares an option with an array of strings. */
export function texts<S extends string, D extends readonly NoInfer<S>[] | undefined = undefined>(
  fallback?: D,
): Option<readonly S[], D> {
  return listOf(text(), "strings", fallback) as unknown as Option<readonly S[], D>;
}

/** Declares an option with an array whose items are not checked here. */
export function list<T extends readonly unknown[], D extends NoInfer<T> | undefined = undefined>(
  fallback?: D,
): Option<T, D> {
  return kind("an array", Array.isArray, fallback);
}

/** Declares an option with an array whose items are of a kind. The noun is that of several items. */
export function listOf<T, D extends readonly NoInfer<T>[] | undefined = undefined>(
  item: Option<T>,
  nouns: string,
  fallback?: D,
): Option<readonly T[], D> {
  const fits = (value: unknown) => Array.isArray(value) && value.every((each) => item.fits(each));
  return { ...kind<readonly T[], D>(`an array of ${nouns}`, fits, fallback), item };
}

/** Declares an option with an object whose members are not checked here. */
export function record<T extends object, D extends NoInfer<T> | undefined = undefined>(fallback?: D): Option<T, D> {
  return kind("an object", isRecord, fallback);
}

/** Declares an option with an object whose members are options as well. */
export function group<T extends object>(members: OptionRows<NoInfer<T>>): Option<T, undefined> {
  return { ...record<T>(), members };
}

/** Declares an option with an object that has certain methods, such as a store. */
export function methods<T extends object>(...names: (keyof NoInfer<T> & string)[]): Option<T, undefined> {
  const noun = `an object with the methods ${names.map((name) => `"${name}"`).join(", ")}`;
  return kind(noun, (value) => names.every((name) => typeof Object(value)[name] === "function"), undefined);
}

/** Declares an option with a fixed set of values. */
export function oneOf<T extends string, D extends NoInfer<T> | undefined>(
  fallback: D,
  ...values: readonly T[]
): Option<T, D> {
  const noun = values.map((value) => JSON.stringify(value)).join(" or ");
  return { ...kind<T, D>(noun, (value) => values.includes(value as T), fallback), values, isShown: true };
}

/** Declares an option with values of several kinds. If one of them is an object with members, they are checked, too. */
export function either<T, D>(fallback: D, ...kinds: readonly Omit<Members[string], "fallback">[]): Option<T, D> {
  const noun = kinds.map((each) => each.noun).join(" or ");
  const fits = (value: unknown) => kinds.some((each) => each.fits(value));
  const { members, item, isShown } = Object.assign({}, ...kinds);
  return { ...kind<T, D>(noun, fits, fallback), members, item, isShown };
}

/** Declares that an option must also pass a test. The noun describes all accepted values. Messages contain others. */
export function where<T, D>(option: Option<T, D>, noun: string, test: (value: T) => boolean): Option<T, D> {
  return { ...option, noun, isShown: true, fits: (value) => option.fits(value) && test(value as T) };
}

/** Declares that an option has to be set. */
export function required<T>(option: Option<T, undefined>): RequiredOption<T> {
  return { ...option, isRequired: true };
}

/** Declares the former name of an option. The error for the former name contains the new one. */
export function formerly<T, D>(name: string, option: Option<T, D>): Option<T, D> {
  return { ...option, former: name };
}

/** An option that has to be set. */
export interface RequiredOption<in out T> extends Option<T, undefined> {
  readonly isRequired: true;
}

/** The rows of an options type. The compiler reports an option without a row, and a row for another type. */
export type OptionRows<T> = {
  readonly [Name in keyof T]-?: Record<never, never> extends Pick<T, Name> ? Option<NonNullable<T[Name]>>
    : RequiredOption<T[Name]>;
};

/** Declares a kind of options by a test. */
export function kind<T, D>(noun: string, fits: Test, fallback: D | undefined): Option<T, D> {
  return { noun, fits, fallback: fallback as D };
}

function isString(value: unknown): boolean {
  return typeof value === "string";
}

/** Reports whether a value is an object rather than `null` or an array. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function numeric<D>(unit: string | undefined, fallback: D | undefined, range: Range): Option<number, D> {
  const { from = 0, to = Number.MAX_VALUE, isPositive = false, isWhole = false } = range;
  const least = isPositive ? Math.max(from, Number.MIN_VALUE) : from;
  const fits = (value: unknown) =>
    typeof value === "number" && value >= least && value <= to &&
    (!isWhole || Number.isSafeInteger(value) || value === Infinity);
  return { ...kind<number, D>(nounOf(range, unit), fits, fallback), unit, range };
}

function nounOf({ from = 0, to = Infinity, isPositive, isWhole }: Range, unit: string | undefined): string {
  const noun = isWhole ? "integer" : "number";
  const isBounded = to < Number.MAX_SAFE_INTEGER;
  const units = isBounded && unit !== undefined ? ` of ${unit}` : "";
  if (from === 0) {
    return `a ${isPositive ? "positive" : "non-negative"} ${noun}${units}${isBounded ? ` up to ${to}` : ""}`;
  }
  if (from === 1 && isWhole && !isBounded) return "a positive integer";
  return `${isWhole ? "an" : "a"} ${noun}${units} ${isBounded ? `from ${from} to ${to}` : `of at least ${from}`}`;
}
