/**
 * The rules for the arguments of queues: stores, filters and cron expressions.
 *
 * @module
 */

import { count, filled, flag, kind, methods, oneOf, type Option } from "../config/option_kinds.ts";
import { checkArgument, type Filled, optionTable, readOptions } from "../config/option_table.ts";
import type { JobState, ListFilter, Store } from "./store.ts";

const storeRule = methods<Store>("Add", "Claim", "Renew", "Finish", "List", "Stats");

/**
 * The rule for cron expressions. The library would accept a seventh field for the year, which other parts ignore.
 */
const cronRule: Option<string, undefined> = kind(
  "a cron expression with five fields, or six if it begins with seconds",
  (value) => typeof value === "string" && /^\s*(?:@\w+|\S+(?:\s+\S+){4,5})\s*$/.test(value),
  undefined,
);

/** The filter of `queue.List`. */
type Filter = Partial<Omit<ListFilter, "Queue">>;

const table = optionTable<Filter>("jobs.ListFilter", "List")({
  State: oneOf<JobState, undefined>(undefined, "waiting", "running", "done", "failed", "canceled"),
  Name: filled(),
  IsRetried: flag(),
  Limit: count(100),
  Before: count(undefined, { from: 0 }),
});

/** Checks a store. */
export function checkStore(store: Store): void {
  checkArgument(store, storeRule, "store", "jobs.New");
}

/** Checks a cron expression. */
export function checkCron(expression: string): void {
  checkArgument(expression, cronRule, "cron", "Schedule");
}

/** Checks a filter and applies the defaults. */
export function filterOf(filter: Filter): Filled<Filter, "State" | "Name" | "IsRetried" | "Before"> {
  return readOptions(table, filter);
}
