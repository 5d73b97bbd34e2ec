/**
 * Checks the options of extensions with the checker that fw uses for its own.
 *
 * @module
 */

import {
  amount,
  either,
  flag,
  func,
  list,
  type Members,
  oneOf,
  record,
  text,
} from "../../../base/config/option_kinds.ts";
import { readOptions } from "../../../base/config/option_table.ts";
import type { OptionRule, OptionRules, OptionsOf } from "../../context/extension.ts";

type Row = Members[string];

/** The rows of the kinds of options. */
const kinds: Readonly<Record<string, (rule: OptionRule) => Row>> = {
  string: ({ OneOf }) => (OneOf === undefined ? text() : oneOf(undefined, ...OneOf)),
  boolean: () => flag(),
  number: ({ Min, Max }) =>
    amount(undefined, {
      ...Min === undefined ? {} : { from: Min },
      ...Max === undefined ? {} : { to: Max },
    }),
  function: () => func(),
  array: () => list(),
  object: () => record(),
  "string or boolean": () => either(undefined, text(), flag()),
};

/**
 * Checks options and applies their defaults.
 *
 * @param owner The name of the part that the options belong to.
 * @param given The options.
 * @param rules The rules, by name.
 */
export function checkRules<R extends Readonly<Record<string, { readonly Kind: string }>>>(
  owner: string,
  given: unknown,
  rules: R,
): OptionsOf<R & OptionRules> {
  const rows: Record<string, Row> = {};
  for (const [name, rule] of Object.entries<{ readonly Kind: string }>(rules)) {
    const { Default, Required } = rule as OptionRule;
    const row = { ...kinds[rule.Kind]?.(rule as OptionRule), fallback: Default } as Row;
    rows[name] = Required === true ? { ...row, isRequired: true } : row;
  }
  const table = { type: owner, owner, rows };
  return readOptions(table, (given ?? {}) as object) as OptionsOf<R & OptionRules>;
}
