/**
 * The checker of options. A table declares each option of a type once. The checker compares options with their table
 * where an object is created, for programs in JavaScript and for options from files.
 *
 * There is one rule for everything without a value: `undefined` is the same as a missing option, and `null` is refused.
 *
 * @module
 */

import { FrameworkError } from "../errors/errors.ts";
import { nearestName } from "../text/near_names.ts";
import { type Members, type OptionRows, text } from "./option_kinds.ts";

/** The options of a type. */
export interface OptionTable<R = Members> {
  /** The name of the type, after that of its entry point, such as `middleware/cors.Options`. */
  readonly type: string;
  /** The name of the part that the options belong to, for messages. */
  readonly owner: string;
  readonly rows: R;
}

/** Options with their defaults. */
export type SettingsOf<T, R> = {
  readonly [Name in keyof T]-?: Record<never, never> extends Pick<T, Name>
    ? NonNullable<T[Name]> | (R extends Readonly<Record<Name, { fallback: infer D }>> ? D & undefined : never)
    : T[Name];
};

/** Options with their defaults, for declarations: all of them are set except for those without a default. */
export type Filled<T, Unset extends keyof T = never> = {
  readonly [Name in keyof T]-?: Name extends Unset ? T[Name] | undefined : NonNullable<T[Name]>;
};

const tables: OptionTable[] = [];

/**
 * Returns the tables of all modules that have been loaded, for the reference.
 *
 * @returns The tables, in the order in which they were loaded.
 */
export function optionTables(): readonly OptionTable[] {
  return tables;
}

/**
 * Declares the options of a type: `optionTable<Options>("middleware/etag.Options", "etag")({ Weak: flag(false) })`.
 *
 * @param type The name of the type, after that of its entry point.
 * @param owner The name of the part that the options belong to, for messages.
 * @returns A function that takes a row for each option and returns the table.
 */
export function optionTable<T>(
  type: string,
  owner: string,
): <R extends OptionRows<T>>(rows: R & Readonly<Record<Exclude<keyof R, keyof T>, never>>) => OptionTable<R> {
  return (rows) => {
    const table = { type, owner, rows };
    tables.push(table as unknown as OptionTable);
    return table;
  };
}

/**
 * Checks the options of a table and applies the defaults.
 *
 * @param table The table of the options.
 * @param options The options.
 * @param owner The name of the part that the options belong to, if it is not that of the table.
 * @returns The options with their defaults.
 * @throws {FrameworkError} If there is no such option, if a required option is missing, or if a value is invalid.
 */
export function readOptions<T extends object, R>(
  table: OptionTable<R>,
  options: T,
  owner: string = table.owner,
): SettingsOf<T, R> {
  return checkOptions(options, table.rows as Members, owner) as SettingsOf<T, R>;
}

/**
 * Checks options and applies the defaults.
 *
 * @param given The options, as passed by the application.
 * @param rules A rule for each option, such as `{ Size: bytes(1024) }`.
 * @param name The name of the part that the options belong to, for messages, such as `cors`.
 * @returns A new object with a value for each rule.
 * @throws {FrameworkError} If there is no such option, if a required option is missing, or if a value is invalid.
 */
export function checkOptions(given: unknown, rules: Members, name: string): Record<string, unknown> {
  const options = namedOptions(given, rules, name);
  const settings: Record<string, unknown> = {};
  let missing: string | undefined;
  for (const each in rules) {
    const rule = rules[each] as Members[string];
    const value = options[each];
    settings[each] = value === undefined ? rule.fallback : checkValue(value, rule, each, name);
    if (value === undefined && rule.isRequired) missing ??= each;
  }
  if (missing !== undefined) {
    throw invalid(`Cannot use the options of ${name}: "${missing}" is missing; it must be ${rules[missing]?.noun}`);
  }
  return settings;
}

/**
 * Checks the options of a call that happens in every request. Unlike {@linkcode readOptions}, it creates no object and
 * does not report missing options.
 *
 * @param table The table of the options.
 * @param given The options.
 * @param owner The name of the part that the options belong to, if it is not that of the table.
 * @throws {FrameworkError} If there is no such option, or if a value is invalid.
 */
export function assertOptions({ rows, owner }: OptionTable<unknown>, given: object, name: string = owner): void {
  const options = namedOptions(given, rows as Members, name);
  for (const each in options) {
    if (options[each] !== undefined) checkValue(options[each], (rows as Members)[each] as Members[string], each, name);
  }
}

/** Checks that options are an object, and that all of them exist. */
function namedOptions(given: unknown, rules: Members, name: string): Record<string, unknown> {
  // Neither a promise that was not awaited nor a map has options.
  if (Object.prototype.toString.call(given) !== "[object Object]") {
    throw invalid(`Cannot use the options of ${name}: they must be an object, not ${shown(given)}`);
  }
  for (const each in given as object) {
    if (!Object.hasOwn(rules, each)) throw unknownOption(each, rules, name);
  }
  return given as Record<string, unknown>;
}

/**
 * Checks an argument that is not an object with options.
 *
 * @param value The argument.
 * @param rule The rule for the argument.
 * @param argument The name of the argument.
 * @param name The name of the function.
 * @throws {FrameworkError} If the argument is invalid.
 */
export function checkArgument(value: unknown, rule: Members[string], argument: string, name: string): void {
  if (!rule.fits(value)) throw misfit(value, rule, `argument "${argument}" of ${name}`);
}

/**
 * Checks an argument that must be a string.
 *
 * @param value The argument.
 * @param argument The name of the argument.
 * @param name The name of the function.
 * @returns The argument.
 * @throws {FrameworkError} If the argument is not a string.
 */
export function checkText(value: unknown, argument: string, name: string): string {
  checkArgument(value, string, argument, name);
  return value as string;
}

const string = text();

/**
 * Checks the value of one option.
 *
 * @param value The value.
 * @param rule The rule for the value.
 * @param option The name of the option.
 * @param name The name of the part that it belongs to.
 * @returns The value. Nested options have their defaults.
 * @throws {FrameworkError} If the value is invalid.
 */
export function checkValue(value: unknown, rule: Members[string], option: string, name: string): unknown {
  if (!rule.fits(value)) throw misfit(value, rule, `option "${option}" of ${name}`);
  const { members, item } = rule;
  const place = `${name}.${option}`;
  if (Array.isArray(value) && item?.members !== undefined) {
    return value.map((each, at) => checkValue(each, item, `${option}[${at}]`, name));
  }
  return members === undefined || typeof value !== "object" ? value : checkOptions(value, members, place);
}

function misfit(value: unknown, rule: Members[string], place: string): FrameworkError {
  return invalid(`Cannot use the ${place}: it must be ${rule.noun}, not ${shown(value, rule)}`);
}

function unknownOption(name: string, rules: Members, owner: string): FrameworkError {
  const names = Object.keys(rules);
  const renamed = names.find((each) => rules[each]?.former === name);
  const nearest = nearestName(name, names);
  const hint = nearest === undefined ? "" : `; did you mean "${nearest}"?`;
  const state = renamed === undefined
    ? `there is no such option; its options are: ${names.join(", ")}${hint}`
    : `it was renamed to "${renamed}"`;
  return invalid(`Cannot use the option "${name}" of ${owner}: ${state}`);
}

/** Describes a value in an error message. A string may be a secret, unless its rule says that it is not. */
function shown(value: unknown, rule?: Members[string]): string {
  if (typeof value === "string" && (value === "" || rule?.isShown)) {
    // The text before "@" may be the password of a URL.
    return JSON.stringify(value.slice(0, 100).replace(/^.*@/s, "…@"));
  }
  if (["number", "boolean", "undefined"].includes(typeof value) || value === null) return String(value);
  if (value instanceof URL) return `"${value.protocol}//${value.host}${value.pathname}"`;
  if (!Array.isArray(value)) return typeof value === "object" ? "an object" : `a ${typeof value}`;
  const odd = rule?.item && value.findIndex((each) => !rule.item?.fits(each));
  return value.length === 0
    ? "an empty array"
    : odd === undefined || odd < 0
    ? "an array"
    : `an array with ${shown(value[odd], rule?.item)}`;
}

function invalid(message: string): FrameworkError {
  return new FrameworkError("FW_CONFIG", message);
}
