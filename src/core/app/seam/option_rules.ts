/**
 * Checks the options of extensions with the checker that fw uses for its own.
 *
 * @module
 */

import {
  amount,
  flag,
  func,
  kind,
  list,
  type Members,
  oneOf,
  record,
  required,
  text,
  texts,
} from "../../../base/config/option_kinds.ts";
import { checkArgument, checkOptions, optionTable, readOptions } from "../../../base/config/option_table.ts";
import type { OptionRule, OptionRules, OptionsOf } from "../../context/extension.ts";

type Row = Members[string];

/** The rows of the kinds of options. */
const kinds: Readonly<Record<OptionRule["Kind"], (rule: OptionRule) => Row>> = {
  string: ({ OneOf }) => (OneOf === undefined ? text() : oneOf(undefined, ...OneOf)),
  boolean: () => flag(),
  number: ({ Min = 0, Max = Infinity }) => amount(undefined, { from: Min, to: Math.min(Max, Number.MAX_VALUE) }),
  function: () => func(),
  array: () => list(),
  object: () => record(),
};

const number = kind<number, undefined>("a number", (value) => typeof value === "number" && value === value, undefined);
const ruleTable = optionTable<OptionRule>("OptionRule", "the rule")({
  Kind: required(oneOf(undefined, ...Object.keys(kinds) as OptionRule["Kind"][])),
  Default: kind("any value", () => true, undefined),
  Required: flag(),
  Min: number,
  Max: number,
  OneOf: texts(),
});

/**
 * Checks options and applies their defaults.
 *
 * @param owner The name of the part that the options belong to.
 * @param given The options.
 * @param rules The rules, by name.
 */
export function checkRules<R extends OptionRules>(owner: string, given: unknown, rules: R): OptionsOf<R> {
  checkArgument(rules, record(), "rules", "Options");
  const rows = Object.fromEntries(
    Object.entries(rules).map(([name, rule]) => {
      readOptions(ruleTable, rule, `the rule "${name}" of ${owner}`);
      const row = { ...kinds[rule.Kind](rule), fallback: rule.Default };
      return [name, rule.Required === true ? { ...row, isRequired: true } : row];
    }),
  );
  return checkOptions(given === undefined ? {} : given, rows, owner) as OptionsOf<R>;
}
