/**
 * Option tables. A table declares each option of a type once, and checks options and applies the defaults at run time,
 * for programs in JavaScript and for options from files.
 *
 * @module
 */

import { isJSONObject } from "../data/plain_object.ts";
import { FrameworkError } from "../errors/errors.ts";
import { nearestName } from "../text/near_names.ts";
import type { Members, OptionRows } from "./option_kinds.ts";

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
 * Checks options and applies the defaults. `undefined` is the same as a missing option.
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
  return settingsFrom(table.rows as Members, options, owner) as SettingsOf<T, R>;
}

function settingsFrom(rows: Members, options: unknown, owner: string): Record<string, unknown> {
  if (!isJSONObject(options)) {
    throw invalid(`Cannot use the options of ${owner}: they must be an object, not ${shown(options)}`);
  }
  for (const [name, value] of Object.entries(options)) {
    const option = Object.hasOwn(rows, name) ? rows[name] : undefined;
    if (option === undefined) throw unknownOption(name, rows, owner);
    if (value === undefined || option.fits(value)) continue;
    const given = shown(value, option);
    throw invalid(`Cannot use the option "${name}" of ${owner}: it must be ${option.noun}, not ${given}`);
  }
  const settings: Record<string, unknown> = {};
  for (const [name, { noun, fallback, isRequired, members }] of Object.entries(rows)) {
    const value = options[name] ?? fallback;
    if (value === undefined && isRequired) {
      throw invalid(`Cannot use the options of ${owner}: "${name}" is missing; it must be ${noun}`);
    }
    settings[name] = members !== undefined && isJSONObject(value) ? settingsFrom(members, value, name) : value;
  }
  return settings;
}

function unknownOption(name: string, rows: Members, owner: string): FrameworkError {
  const names = Object.keys(rows);
  const renamed = names.find((each) => rows[each]?.former === name);
  if (renamed !== undefined) {
    return invalid(`Cannot use the option "${name}" of ${owner}: it was renamed to "${renamed}"`);
  }
  const nearest = nearestName(name, names);
  const hint = nearest === undefined ? "" : `; did you mean "${nearest}"?`;
  const known = names.join(", ");
  return invalid(
    `Cannot use the option "${name}" of ${owner}: there is no such option; its options are: ${known}${hint}`,
  );
}

/** Describes a value in an error message. A string that is not one of a fixed set may be a secret. */
function shown(value: unknown, option?: Members[string]): string {
  if (typeof value === "string" && option?.values !== undefined) return JSON.stringify(value);
  if (typeof value === "number" && option?.range !== undefined) return String(value);
  if (value === null || value === undefined || typeof value === "boolean") return String(value);
  if (Array.isArray(value)) return "an array";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}

function invalid(message: string): FrameworkError {
  return new FrameworkError("FW_CONFIG", message);
}
