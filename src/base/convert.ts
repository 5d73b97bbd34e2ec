/**
 * The one table of text to value: form fields, query parameters, path parameters and session values are read by it.
 *
 * The only difference between them is the boolean. A form field and a query parameter are read leniently, because a
 * browser sends `on` for a ticked checkbox; a path parameter and a session value must spell one of the twelve texts.
 *
 * @module
 */

import { type ErrorCode, FrameworkError, type Parsed } from "./errors.ts";

/** One type of value: how it is read, and what stands for a failure. */
export interface Conversion<T> {
  /** What the value is, for messages: `an integer`. */
  readonly noun: string;
  /** What is returned beside an error. */
  readonly failed: T;
  /** Reads a text; `undefined` when it is not such a value. */
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
    const value = readBigint(text);
    return value !== undefined && BigInt.asIntN(64, value) === value ? value : undefined;
  },
};

/** A whole number of 64 bits without a sign. */
export const uint64: Conversion<bigint> = {
  noun: "an unsigned 64-bit integer",
  failed: -1n,
  read(text) {
    const value = /^\d/.test(text) ? readBigint(text) : undefined;
    return value !== undefined && BigInt.asUintN(64, value) === value ? value : undefined;
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

/** The texts that stand for true, as Go's `ParseBool` has them. */
export const trueTexts: readonly string[] = ["1", "t", "T", "TRUE", "true", "True"];
/** The texts that stand for false. */
export const falseTexts: readonly string[] = ["0", "f", "F", "FALSE", "false", "False"];

/** A boolean in one of its twelve spellings. */
export const bool: Conversion<boolean> = {
  noun: "a boolean",
  failed: false,
  read(text) {
    if (trueTexts.includes(text)) return true;
    return falseTexts.includes(text) ? false : undefined;
  },
};

/** A boolean as forms send it: `false`, `0`, `f` in any case and the empty text are false, everything else is true. */
export const lenientBool: Conversion<boolean> = {
  noun: bool.noun,
  failed: bool.failed,
  read(text) {
    return !/^(?:false|0|f|)$/i.test(text);
  },
};

/** Where a text comes from, and the code of the error when it cannot be read. */
const codes: Readonly<Record<FieldKind, ErrorCode>> = {
  "form field": "FW_FIELD",
  "query parameter": "FW_FIELD",
  "path parameter": "FW_PARAM",
  "session value": "FW_SESSION",
};

/** What a text is. */
type FieldKind = "form field" | "query parameter" | "path parameter" | "session value";

/** A text by its name, for messages: `form field "age"`. */
export interface Field {
  readonly kind: FieldKind;
  readonly name: string;
}

/**
 * Reads a value, and says what is wrong with it.
 *
 * @param conversion The type of value.
 * @param text The text; `undefined` when the name is absent.
 * @param field What the text is, for messages.
 */
export function convert<T>(conversion: Conversion<T>, text: string | undefined, field: Field): Parsed<T> {
  const value = text === undefined ? undefined : conversion.read(text);
  if (value !== undefined) return [value, null];
  const state = text === undefined ? "it is absent" : `current value is "${short(text)}"`;
  const act = `read ${field.kind} "${short(field.name)}" as ${conversion.noun}`;
  return [conversion.failed, new FrameworkError(codes[field.kind], `Cannot ${act}: ${state}`)];
}

/**
 * Reads a value, or takes another one.
 *
 * @param conversion The type of value.
 * @param text The text; `undefined` when the name is absent.
 * @param def What is returned when it is absent or not such a value.
 */
export function convertOr<T>(conversion: Conversion<T>, text: string | undefined, def: T): T {
  return text === undefined ? def : conversion.read(text) ?? def;
}

function isInteger(text: string): boolean {
  return /^[+-]?\d+$/.test(text);
}

function readBigint(text: string): bigint | undefined {
  // The length comes first: turning a million digits into a bigint takes seconds.
  const digits = isInteger(text) ? text.replace(/^([+-]?)0+(?=\d)/, "$1") : "";
  return digits === "" || digits.length > 21 ? undefined : BigInt(digits);
}

function short(text: string): string {
  return text.length > 64 ? `${text.slice(0, 64)}...` : text;
}
