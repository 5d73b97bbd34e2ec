/**
 * Checks options at run time, for programs in JavaScript and for options from files.
 *
 * @module
 */

import { isJSONObject } from "../data/plain_object.ts";
import { FrameworkError } from "../errors/errors.ts";

/** The values that an option accepts. */
export type OptionRule =
  | "string"
  | "number"
  | "amount"
  | "boolean"
  | "function"
  | "object"
  | "array"
  | "strings"
  | "any"
  | Choice
  | Methods
  | readonly OptionRule[];

/** A fixed set of values. */
interface Choice {
  readonly oneOf: readonly unknown[];
}

/** An object with methods, such as a store. */
interface Methods {
  readonly methods: readonly string[];
}

/** The rules by option name. The compiler reports an option without a rule. */
export type OptionRules<T> = { readonly [Name in keyof Required<T>]: OptionRule };

type Kind = Extract<OptionRule, string>;

const tests: Readonly<Record<Kind, (value: unknown) => boolean>> = {
  string: (value) => typeof value === "string",
  number: (value) => typeof value === "number",
  amount: (value) => typeof value === "number" && value >= 0,
  boolean: (value) => typeof value === "boolean",
  function: (value) => typeof value === "function",
  object: isJSONObject,
  array: (value) => Array.isArray(value),
  strings: (value) => Array.isArray(value) && value.every((item) => typeof item === "string"),
  any: () => true,
};

const nouns: Readonly<Record<Kind, string>> = {
  string: "a string",
  number: "a number",
  amount: "a non-negative number",
  boolean: "a boolean",
  function: "a function",
  object: "an object",
  array: "an array",
  strings: "an array of strings",
  any: "a value",
};

/**
 * Checks that options have known names and values of the right type. `undefined` is the same as a missing option.
 *
 * @param owner The name of the part that the options belong to, for messages.
 * @param options The options.
 * @param rules The rules of all options.
 * @throws {FrameworkError} If there is no such option, or if a value has another type.
 */
export function checkOptions<T>(owner: string, options: T, rules: OptionRules<NoInfer<T>>): void {
  if (!tests.object(options)) {
    throw new FrameworkError(
      "FW_CONFIG",
      `Cannot use the options of ${owner}: they must be an object, not ${shown(options)}`,
    );
  }
  const known = new Map<string, OptionRule>(Object.entries(rules));
  for (const [name, value] of Object.entries(options as object)) {
    const rule = known.get(name);
    if (rule === undefined) {
      const names = [...known.keys()].join(", ");
      throw new FrameworkError(
        "FW_CONFIG",
        `Cannot use the option "${name}" of ${owner}: there is no such option; its options are: ${names}`,
      );
    }
    if (value === undefined || fits(value, rule)) continue;
    throw new FrameworkError(
      "FW_CONFIG",
      `Cannot use the option "${name}" of ${owner}: it must be ${describe(rule)}, not ${shown(value, rule)}`,
    );
  }
}

function fits(value: unknown, rule: OptionRule): boolean {
  if (typeof rule === "string") return tests[rule](value);
  if (isList(rule)) return rule.some((each) => fits(value, each));
  if ("oneOf" in rule) return rule.oneOf.includes(value);
  if (typeof value !== "object" && typeof value !== "function" || value === null) return false;
  return rule.methods.every((name) => typeof Reflect.get(value, name) === "function");
}

function describe(rule: OptionRule): string {
  if (typeof rule === "string") return nouns[rule];
  if (isList(rule)) return rule.map(describe).join(" or ");
  if ("oneOf" in rule) return rule.oneOf.map((value) => JSON.stringify(value)).join(" or ");
  return `an object with the methods ${rule.methods.map((name) => `"${name}"`).join(", ")}`;
}

function isList(rule: OptionRule): rule is readonly OptionRule[] {
  return Array.isArray(rule);
}

/**
 * Describes a value in an error message. Only its type is shown unless the rule is a choice, because it may be a
 * secret.
 */
function shown(value: unknown, rule?: OptionRule): string {
  if (typeof value === "string" && typeof rule === "object" && "oneOf" in rule) return JSON.stringify(value);
  if (value === null || value === undefined || typeof value === "boolean") return String(value);
  if (typeof value === "number" && rule === "amount") return String(value);
  if (Array.isArray(value)) return "an array";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}
