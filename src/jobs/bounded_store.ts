/**
 * A store whose calls end, with values of the right types. A store that does not respond, or that responds with
 * nonsense, would otherwise stop its queue.
 *
 * @module
 */

import { checkArgument } from "../config/option_table.ts";
import { methods } from "../config/option_kinds.ts";
import { isString, isTime } from "../async/callback.ts";
import { isThenable } from "../async/thenable.ts";
import { TimeLimit } from "../store/time_limit.ts";
import type { Store } from "./store.ts";

/** Reports whether a value is a valid result. */
type Test = (value: unknown) => boolean;

/** The results of methods whose result is used. */
const results: Readonly<Partial<Record<string | symbol, Test>>> = {
  Add: Array.isArray,
  Claim: (value) => hasMember(value, "Jobs", Array.isArray) && hasMember(value, "Expired", Array.isArray),
  Renew: Array.isArray,
  Finish: Array.isArray,
  Progress: isBoolean,
  Cancel: isCount,
  Retry: isCount,
  Hurry: isCount,
  Delete: isCount,
  Get: (value) => value === null || hasMember(value, "ID", isString),
  List: Array.isArray,
  Stats: Array.isArray,
  Kinds: Array.isArray,
  Pause: isBoolean,
  Pauses: Array.isArray,
  Unreported: Array.isArray,
  Sweep: isCount,
  Schedule: (value) => hasMember(value, "Last", isTime),
  Schedules: Array.isArray,
  Unschedule: isBoolean,
  Tick: isBoolean,
  Watch: (value) => typeof value === "function",
  Now: isTime,
};

const storeRule = methods<Store>("Add", "Claim", "Renew", "Finish", "List", "Stats");

/**
 * Limits the time of all asynchronous calls to a store, and checks what they return.
 *
 * @param store The store.
 * @param milliseconds The time limit.
 * @returns The store with the limit. Synchronous calls stay synchronous, because a transaction may be.
 */
export function boundedStore(store: Store, milliseconds: number): Store {
  checkArgument(store, storeRule, "store", "jobs.New");
  const limit = new TimeLimit(milliseconds);
  return new Proxy(store, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== "function") return member;
      return (...args: unknown[]) => {
        const result: unknown = Reflect.apply(member, target, args);
        return isThenable(result) ? within(limit, name, result) : checked(name, result);
      };
    },
  });
}

async function within(limit: TimeLimit, name: string | symbol, running: PromiseLike<unknown>): Promise<unknown> {
  const { promise, resolve, reject } = Promise.withResolvers<unknown>();
  const call = limit.begin(() => reject(new Error(`No response to ${String(name)} from the job store`)));
  running.then(resolve, reject);
  try {
    return checked(name, await promise);
  } finally {
    limit.end(call);
  }
}

function checked(name: string | symbol, result: unknown): unknown {
  if (results[name]?.(result) !== false) return result;
  throw new TypeError(`Cannot use the result of ${String(name)} of the job store: it has the wrong type`);
}

function isBoolean(value: unknown): boolean {
  return typeof value === "boolean";
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function hasMember(value: unknown, name: string, test: Test): boolean {
  return typeof value === "object" && value !== null && test((value as Record<string, unknown>)[name]);
}
