/**
 * Conversion of strings to typed values, shared by form fields, query parameters, path parameters and session values.
 *
 * Only the rules for booleans differ. Form fields and query parameters are parsed leniently, because a browser sends
 * `on` for a checked checkbox. Path parameters and session values must use one of the twelve accepted spellings.
 *
 * @module
 */

import { type ErrorCode, FrameworkError, type Parsed } from "../errors/errors.ts";

/** The parser and the failure value for one type. */
export interface Conversion<T> {
  /** The type's name in error messages, such as `an integer`. */
  readonly noun: string;
  /** The value returned along with an error. */
  readonly failed: T;
  /** Parses a string. Returns `undefined` if the string is not a valid value of this type. */
  read(text: string): T | undefined;
}

/** A safe integer: an optional sign followed by digits. */
export const int: Conversion<number> = {
  noun: "an integer",
  failed: -1,
  read(text) {
    const value = isInteger(text) ? Number(text) : NaN;
    // Adding 0 turns -0 into 0.
    return Number.isSafeInteger(value) ? value + 0 : undefined;
  },
};

/** A signed 64-bit integer. */
export const int64: Conversion<bigint> = {
  noun: "a 64-bit integer",
  failed: -1n,
  read(text) {
    const value = readBigint(text);
    return value !== undefined && BigInt.asIntN(64, value) === value ? value : undefined;
  },
};

/** An unsigned 64-bit integer. */
export const uint64: Conversion<bigint> = {
  noun: "an unsigned 64-bit integer",
  failed: -1n,
  read(text) {
    const value = /^\d/.test(text) ? readBigint(text) : undefined;
    return value !== undefined && BigInt.asUintN(64, value) === value ? value : undefined;
  },
};

/** A finite decimal number, with an optional exponent. */
export const float64: Conversion<number> = {
  noun: "a number",
  failed: -1,
  read(text) {
    if (!/^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/.test(text)) return undefined;
    const value = Number(text);
    return Number.isFinite(value) ? value : undefined;
  },
};

/** The strings that mean `true`, as in Go's `ParseBool`. */
export const trueTexts: readonly string[] = ["1", "t", "T", "TRUE", "true", "True"];
/** The strings that mean `false`. */
export const falseTexts: readonly string[] = ["0", "f", "F", "FALSE", "false", "False"];

/** A boolean in one of the twelve accepted spellings. */
export const bool: Conversion<boolean> = {
  noun: "a boolean",
  failed: false,
  read(text) {
    if (trueTexts.includes(text)) return true;
    return falseTexts.includes(text) ? false : undefined;
  },
};

/**
 * A boolean as submitted by forms. The empty string is false, and so are `false`, `0` and `f` in any case. Everything
 * else is true.
 */
export const lenientBool: Conversion<boolean> = {
  noun: bool.noun,
  failed: bool.failed,
  read(text) {
    return !/^(?:false|0|f|)$/i.test(text);
  },
};

/** The error code for each kind of field. */
const codes: Readonly<Record<FieldKind, ErrorCode>> = {
  "form field": "FW_FIELD",
  "query parameter": "FW_FIELD",
  "path parameter": "FW_PARAM",
  "session value": "FW_SESSION",
};

/** The kind of field that a string was read from. */
type FieldKind = "form field" | "query parameter" | "path parameter" | "session value";

/** The field's kind and name, used in error messages such as `form field "age"`. */
export interface Field {
  readonly kind: FieldKind;
  readonly name: string;
}

/**
 * Parses a field's value. Returns an error if the value is missing or invalid.
 *
 * @param conversion The target type.
 * @param text The value, or `undefined` if the field is missing.
 * @param field The field, for error messages.
 */
export function convert<T>(conversion: Conversion<T>, text: string | undefined, field: Field): Parsed<T> {
  const value = text === undefined ? undefined : conversion.read(text);
  if (value !== undefined) return [value, null];
  const state = text === undefined ? "the value is missing" : `current value is "${short(text)}"`;
  const act = `read ${field.kind} "${short(String(field.name))}" as ${conversion.noun}`;
  return [conversion.failed, new FrameworkError(codes[field.kind], `Cannot ${act}: ${state}`)];
}

/**
 * Parses a field's value, falling back to a default.
 *
 * @param conversion The target type.
 * @param text The value, or `undefined` if the field is missing.
 * @param def The value to return if the field is missing or invalid.
 */
export function convertOr<T>(conversion: Conversion<T>, text: string | undefined, def: T): T {
  return text === undefined ? def : conversion.read(text) ?? def;
}

function isInteger(text: string): boolean {
  return /^[+-]?\d+$/.test(text);
}

function readBigint(text: string): bigint | undefined {
  // The length is checked first, because converting a million digits to a bigint takes seconds.
  const digits = isInteger(text) ? text.replace(/^([+-]?)0+(?=\d)/, "$1") : "";
  return digits === "" || digits.length > 21 ? undefined : BigInt(digits);
}

function short(text: string): string {
  return text.length > 64 ? `${text.slice(0, 64)}...` : text;
}

/** The English names of the weekdays. */
export const weekdays: readonly string[] = [
  "sunday",
  "monday",
  "tuesday",
  "wednesday",
  "thursday",
  "friday",
  "saturday",
];

/** A weekday, as a number that starts with 0 for Sunday. It is an English name in any letter case, or a digit. */
export const weekday: Conversion<number> = {
  noun: "a weekday",
  failed: -1,
  read(text) {
    const index = /^[0-6]$/.test(text) ? Number(text) : weekdays.indexOf(text.toLowerCase());
    return index < 0 ? undefined : index;
  },
};
