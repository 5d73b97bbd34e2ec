/**
 * Objects of the application whose calls end, with results of the right types. A store that does not respond, or that
 * responds with nonsense, would otherwise stop what depends on it.
 *
 * @module
 */

import { ignoreRejection } from "../../base/async/callback.ts";
import { isThenable } from "../../base/async/thenable.ts";
import { TimeLimit } from "./time_limit.ts";

/** Reports whether a value is a valid result. */
export type Test = (value: unknown) => boolean;

/** The rules for the calls to an object. */
export interface CallRules {
  /** The name of the object in messages, such as `the job store`. */
  readonly name: string;
  /** The time limit, in milliseconds. */
  readonly limit: number;
  /** The results of methods whose result is used. */
  readonly results: Readonly<Record<string, Test>>;
}

/**
 * Limits the time of all asynchronous calls to an object, and checks what they return.
 *
 * @param target The object.
 * @param rules The rules.
 * @returns An object with the same members. Synchronous calls stay synchronous, because a transaction may be.
 */
export function boundedCalls<T extends object>(target: T, { name, limit, results }: CallRules): T {
  const clock = new TimeLimit(limit);
  const checked = (method: string, result: unknown) => {
    if (results[method]?.(result) !== false) return result;
    ignoreRejection(result);
    throw new TypeError(`Cannot use the result of ${method} of ${name}: it has the wrong type`);
  };
  const within = async (method: string, running: PromiseLike<unknown>) => {
    const late = () => new Error(`No response to ${method} from ${name} within ${limit} ms`);
    return checked(method, await clock.run(running, late));
  };
  return new Proxy(target, {
    get(_, member) {
      const value: unknown = Reflect.get(target, member, target);
      if (typeof value !== "function" || typeof member === "symbol") return value;
      return (...args: unknown[]) => {
        const result: unknown = Reflect.apply(value, target, args);
        return isThenable(result) ? within(member, result) : checked(member, result);
      };
    },
  });
}

/** Reports whether a value has a member of the right type. */
export function hasMember(value: unknown, name: string, test: Test): boolean {
  return typeof value === "object" && value !== null && test((value as Record<string, unknown>)[name]);
}
