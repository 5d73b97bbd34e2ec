/**
 * Texts as numbers and truth values, by rules that do not guess.
 *
 * @module
 */

import { FrameworkError, type Result } from "./errors.ts";

/** One kind of value: how it is read, and what stands for a failure. */
export interface Conversion<T> {
  /** What the value is, for messages: `an integer`. */
  readonly noun: string;
  /** What is answered beside an error. */
  readonly failed: T;
  /** Reads a text; `undefined` when it is no such value. */
  read(text: string): T | undefined;
}

/** A whole number without loss: an optional sign and digits, nothing else. */
export const int: Conversion<number> = {
  noun: "an integer",
  failed: -1,
  read(text) {
    const value = isInteger(text) ? Number(text) : NaN;
    // -0 is not a number that an integer has.
    return Number.isSafeInteger(value) ? value + 0 : undefined;
  },
};

/** A whole number of 64 bits. */
export const int64: Conversion<bigint> = {
  noun: "a 64-bit integer",
  failed: -1n,
  read(text) {
    // The length comes first: turning a million digits into a bigint takes seconds.
    const digits = isInteger(text) ? text.replace(/^([+-]?)0+(?=\d)/, "$1") : "";
    if (digits === "" || digits.length > 20) return undefined;
    const value = BigInt(digits.replace("+", ""));
    return BigInt.asIntN(64, value) === value ? value : undefined;
  },
};

/** A finite decimal number, with or without exponent. */
export const float64: Conversion<number> = {
  noun: "a number",
  failed: -1,
  read(text) {
    if (!/^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/.test(text)) return undefined;
    const value = Number(text);
    return Number.isFinite(value) ? value : undefined;
  },
};

/** A truth value: `false`, `0`, `f` in any case and the empty text are false, all else is true. */
export const bool: Conversion<boolean> = {
  noun: "a truth value",
  failed: false,
  read(text) {
    return !/^(?:false|0|f|)$/i.test(text);
  },
};

/**
 * Reads a value, and says what is wrong with it.
 *
 * @param conversion The kind of value.
 * @param text The text; `undefined` when the name is absent.
 * @param place What the text is, for messages: `form field "age"`.
 */
export function convert<T>(conversion: Conversion<T>, text: string | undefined, place: Place): Result<T> {
  const value = text === undefined ? undefined : conversion.read(text);
  if (value !== undefined) return [value, null];
  const state = text === undefined ? "it is absent" : `current value is "${short(text)}"`;
  const act = `read ${place.kind} "${short(place.name)}" as ${conversion.noun}`;
  return [conversion.failed, new FrameworkError("FW_FIELD", `Cannot ${act}: ${state}`)];
}

/**
 * Reads a value, or takes another one.
 *
 * @param conversion The kind of value.
 * @param text The text; `undefined` when the name is absent.
 * @param def What is answered when it is absent or no such value.
 */
export function convertOr<T>(conversion: Conversion<T>, text: string | undefined, def: T): T {
  return text === undefined ? def : conversion.read(text) ?? def;
}

/** What a text is, for messages. */
export interface Place {
  readonly kind: "form field" | "query parameter";
  readonly name: string;
}

function isInteger(text: string): boolean {
  return /^[+-]?\d+$/.test(text);
}

function short(text: string): string {
  return text.length > 64 ? `${text.slice(0, 64)}...` : text;
}
