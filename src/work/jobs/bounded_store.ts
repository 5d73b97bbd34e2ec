/**
 * A job store whose calls end, with results of the right types.
 *
 * @module
 */

import { isBoolean, isCount, isString, isTime } from "../../base/async/callback.ts";
import { methods } from "../../base/config/option_kinds.ts";
import { checkArgument } from "../../base/config/option_table.ts";
import { boundedCalls, hasMember, type Test } from "../../state/store/bounded_calls.ts";
import type { Store } from "./store.ts";

/** The results of methods whose result is used. */
const results: Readonly<Record<string, Test>> = {
  ...each(Array.isArray, "Add Renew Finish List Stats Kinds Pauses Unreported Schedules"),
  ...each(isBoolean, "Progress Pause Unschedule Tick"),
  ...each(isCount, "Cancel Retry Hurry Delete Sweep"),
  Claim: isClaimed,
  FinishAndClaim: (value) => hasMember(value, "Finished", Array.isArray) && hasMember(value, "Claimed", isClaimed),
  Get: (value) => value === null || hasMember(value, "ID", isString),
  Schedule: (value) => hasMember(value, "Last", isTime),
  Now: isTime,
  Watch: (value) => typeof value === "function",
};

function each(test: Test, methods: string): Record<string, Test> {
  return Object.fromEntries(methods.split(" ").map((name) => [name, test]));
}

/**
 * Limits the time of all asynchronous calls to a store, and checks what they return.
 *
 * @param store The store.
 * @param limit The time limit, in milliseconds.
 */
export function boundedStore(store: Store, limit: number): Store {
  checkArgument(store, methods<Store>("Add", "Claim", "Renew", "Finish", "List", "Stats"), "store", "jobs.New");
  return boundedCalls(store, { name: "the job store", limit, results });
}

function isClaimed(value: unknown): boolean {
  return hasMember(value, "Jobs", Array.isArray) && hasMember(value, "Expired", Array.isArray);
}
