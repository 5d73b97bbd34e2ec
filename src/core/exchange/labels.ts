/**
 * Labels: facts about calls that extensions declare once, for logs, metrics, caches and rate limits.
 *
 * @module
 */

import type { LogFields } from "../../base/log/fields.ts";
import type { Attachments, LabelRule } from "./attachments.ts";
import type { OuterCall } from "./peer/outer_call.ts";

/** A call with labels. */
export interface LabeledCall {
  readonly context: unknown;
  readonly route: { readonly party: { readonly attached: Attachments | undefined } };
  readonly target: { readonly outer: OuterCall | undefined };
}

/** A label and its value for a call. */
export interface LabelValue {
  readonly rule: LabelRule;
  /** The value, or `undefined` if it is not known. */
  readonly value: string | undefined;
}

const none: readonly LabelValue[] = [];

/** Returns the labels of a call and of the calls around it. The innermost declaration of a name applies. */
export function labelsOf(call: LabeledCall): readonly LabelValue[] {
  const outer = call.target.outer?.exchange as LabeledCall | undefined;
  const above = outer === undefined ? none : labelsOf(outer);
  const own = call.route.party.attached?.labels ?? [];
  if (own.length === 0) return above;
  const values = own.map((rule) => ({ rule, value: rule.of(call.context) }));
  return [...above.filter(({ rule }) => own.every(({ name }) => name !== rule.name)), ...values];
}

/** Returns the labels for log lines. */
export function labelFields(call: LabeledCall): LogFields {
  const fields: Record<string, string> = {};
  for (const { rule, value } of labelsOf(call)) if (rule.isLogged && value !== undefined) fields[rule.name] = value;
  return fields;
}

/**
 * Returns the labels that cached responses and rate limits distinguish, as pairs of names and values.
 *
 * @returns The pairs, or `undefined` if a value is not known.
 */
export function variedLabels(call: LabeledCall): readonly (readonly [string, string])[] | undefined {
  const pairs: [string, string][] = [];
  for (const { rule, value } of labelsOf(call)) {
    if (!rule.isVaried) continue;
    if (value === undefined) return undefined;
    pairs.push([rule.name, value]);
  }
  return pairs;
}
