/**
 * The built-in path parameter types.
 *
 * @module
 */

import { signedTest, toBigInt, toNumber, unsignedTest } from "./integer.ts";
import {
  isAlphabetical,
  isBool,
  isDate,
  isFile,
  isMail,
  isText,
  isUUID,
  isWeekday,
  toBool,
  toDate,
  toWeekday,
  WEEKDAY_PATTERN,
} from "./type_tests.ts";

/**
 * The kind of a type's values. It determines the meaning of functions: `min(3)` limits the value of a number or the
 * length of a string.
 */
export type ValueKind = "number" | "bigint" | "text" | "other";

/** The JSON schema of a type. */
type Schema = NonNullable<ParamType["Schema"]>;

/** A built-in type with the kind of its values. */
export interface BuiltinType extends ParamType {
  readonly Schema: Schema;
  /** The kind of values, which determines the functions that may follow the type. */
  readonly kind: ValueKind;
}

const text: Schema = { type: "string" };

/** Declares a type of integers. One without a lower limit has no sign. */
function integers(Name: string, Rank: number, lowest: string, highest: string): BuiltinType {
  return {
    Name,
    kind: "number",
    Rank,
    Test: lowest === "" ? unsignedTest(highest) : signedTest(lowest, highest),
    Convert: toNumber,
    Schema: { type: "integer", minimum: 0 - Number(lowest), maximum: Number(highest) },
  };
}

function pattern(source: string): Schema {
  return { type: "string", pattern: source };
}

/**
 * The built-in types. If a type accepts every value of a second type, the second type must have the lower rank.
 * Otherwise, the wider type would match all of its requests. If two types only overlap, integers come first, so `1` is
 * an `int` rather than a `bool`.
 */
export const BUILTIN_TYPES: readonly BuiltinType[] = [
  integers("int8", 10, "128", "127"),
  integers("uint8", 12, "", "255"),
  integers("int16", 14, "32768", "32767"),
  integers("uint16", 16, "", "65535"),
  { ...integers("int32", 18, "2147483648", "2147483647"), Schema: { type: "integer", format: "int32" } },
  integers("uint32", 20, "", "4294967295"),
  integers("uint", 22, "", "9007199254740991"),
  { ...integers("int", 24, "9007199254740991", "9007199254740991"), Aliases: ["number"] },
  {
    Name: "int64",
    Aliases: ["long"],
    kind: "bigint",
    Rank: 26,
    Test: signedTest("9223372036854775808", "9223372036854775807"),
    Convert: toBigInt,
    Schema: { type: "integer", format: "int64" },
  },
  {
    Name: "uint64",
    kind: "bigint",
    Rank: 28,
    Test: unsignedTest("18446744073709551615"),
    Convert: toBigInt,
    Schema: { type: "integer", format: "uint64", minimum: 0 },
  },
  {
    Name: "uuid",
    Aliases: ["uuidv4"],
    kind: "text",
    Rank: 40,
    Test: isUUID,
    Schema: { type: "string", format: "uuid" },
  },
  { Name: "date", kind: "other", Rank: 44, Test: isDate, Convert: toDate, Schema: { type: "string", format: "date" } },
  { Name: "weekday", kind: "other", Rank: 48, Test: isWeekday, Convert: toWeekday, Schema: pattern(WEEKDAY_PATTERN) },
  {
    Name: "bool",
    Aliases: ["boolean"],
    kind: "other",
    Rank: 52,
    Test: isBool,
    Convert: toBool,
    Schema: { type: "boolean" },
  },
  { Name: "alphabetical", kind: "text", Rank: 60, Test: isAlphabetical, Schema: pattern("^[A-Za-z ]+$") },
  {
    Name: "mail",
    Aliases: ["email"],
    kind: "text",
    Rank: 70,
    Test: isMail,
    Schema: { type: "string", format: "email" },
  },
  { Name: "file", kind: "text", Rank: 80, Test: isFile, Schema: pattern("^(?!\\.{1,2}$)[A-Za-z0-9_.-]+$") },
  { Name: "string", kind: "text", Rank: 900, Test: isText, Schema: text },
  { Name: "path", kind: "text", Rank: 1000, Trailing: true, Test: isText, Schema: text },
];

/** A path parameter type, such as `int` in `{id:int}`. */
export interface ParamType {
  /** The type's name in templates. */
  readonly Name: string;
  /** Alternative names, such as `number` for `int`. */
  readonly Aliases?: readonly string[];
  /**
   * The type's rank. If two types accept a segment, the one with the lower rank is tried first. Built-in types have
   * ranks between 10 and 90, `string` has 900 and `path` has 1000. Defaults to 500, or to 950 for a trailing type.
   */
  readonly Rank?: number;
  /** Whether a value may contain slashes. If so, the parameter matches the rest of the path. */
  readonly Trailing?: boolean;
  /**
   * Reports whether `text[start..end)` is a value of this type. It is called during route matching and must not throw.
   *
   * @param text The decoded string that contains the value.
   * @param start The index of the first character.
   * @param end The index after the last character.
   */
  Test(text: string, start: number, end: number): boolean;
  /** The JSON Schema of the values in requests, for OpenAPI. Defaults to the schema of a string. */
  readonly Schema?: { readonly [keyword: string]: unknown };
  /**
   * Converts an accepted value, for `Params().Value` and for the arguments of controllers and of handlers with injected
   * arguments. An argument whose default value is a string receives the value as it was sent. String functions such as
   * `prefix` cannot be used with a type that has this method.
   *
   * @param text The accepted value.
   */
  Convert?(text: string): unknown;
}
