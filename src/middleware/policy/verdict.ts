/**
 * Asks a policy. Anything but a clear permission is a refusal.
 *
 * @module
 */

import { describe } from "../../base/async/callback.ts";
import { isThenable } from "../../base/async/thenable.ts";
import { messageOf } from "../../base/errors/to_error.ts";

/** A class whose methods decide who may do what, or an instance of it. */
export type Policy<P extends object> = (new () => P) | P;

/** The status of a refusal: 403, or 404 if the client must not learn that the object exists. */
export type RefusalStatus = 403 | 404;

/** A refusal with its reason, created by {@linkcode Deny}. */
export class Denial {
  /** The reason for the log. The client does not receive it. */
  readonly Reason: string;
  /** The status, or `undefined` for that of the policy. */
  readonly Status: RefusalStatus | undefined;

  /**
   * Created by {@linkcode Deny}.
   *
   * @ignore
   *
   * @param reason The reason.
   * @param status The status.
   */
  constructor(reason: string, status: RefusalStatus | undefined) {
    this.Reason = reason;
    this.Status = status;
  }
}

/** The result of a policy's method. */
export type Decision = boolean | Denial;

/** The answer of a policy. */
export interface Verdict {
  readonly isAllowed: boolean;
  readonly status: 401 | RefusalStatus;
  readonly reason: string;
  /** The error that the method threw, if there is one. */
  readonly error?: unknown;
  /** Whether the policy could not decide, which is a mistake in the program. */
  readonly isFault: boolean;
}

/** The question to a policy. */
export interface Question {
  readonly user: unknown;
  readonly policy: object;
  readonly action: string;
  readonly args: readonly unknown[];
  /** The action whose list the method is for, if it returns a condition. */
  readonly listed?: string;
}

/** The static members of a policy that change how it is asked. */
interface Settings {
  readonly name: string;
  readonly Status?: unknown;
  readonly Guests?: unknown;
}

type Method = (...args: readonly unknown[]) => unknown;

const allowed: Verdict = { isAllowed: true, status: 403, reason: "", isFault: false };

/** Asks a policy. Returns a promise only if its method does. */
export function ask(question: Question): Verdict | Promise<Verdict> {
  return settle(question, (method, self) => method.apply(self, [question.user, ...question.args]), verdictOf);
}

/**
 * Calls a method of a policy and turns its result into another one.
 *
 * @param question The question.
 * @param call Calls the method.
 * @param toResult Turns the return value into the result.
 * @returns The result, or the refusal if the method cannot be called or fails.
 */
export function settle<T>(
  question: Question,
  call: (method: Method, self: object) => unknown,
  toResult: (question: Question, value: unknown) => T,
): T | Verdict | Promise<T | Verdict> {
  const { user, policy, action, listed = action } = question;
  if ((user === undefined || user === null) && !admitsGuests(policy, listed)) {
    return { isAllowed: false, status: 401, reason: "no user is logged in", isFault: false };
  }
  if (typeof policy !== "function" && Object(policy) !== policy) {
    return fault(question, `the policy is ${describe(policy)}, not a class or an object`);
  }
  try {
    const self = typeof policy === "function" ? Reflect.construct(policy, []) as object : policy;
    const method = methodOf(self, action);
    if (method === undefined) return fault(question, "the policy has no such method");
    const value = call(method, self);
    if (!isThenable(value)) return toResult(question, value);
    return Promise.resolve(value).then((settled) => toResult(question, settled), (error) => failure(question, error));
  } catch (error) {
    return failure(question, error);
  }
}

/** Creates the refusal of a policy that cannot decide. */
export function fault({ policy }: Question, reason: string, error?: unknown): Verdict {
  return { isAllowed: false, status: statusOf(policy), reason, error, isFault: true };
}

/** Creates the refusal of a policy that decided against the user. */
export function refusal({ policy }: Question, { Reason, Status }: Pick<Denial, "Reason" | "Status">): Verdict {
  return { isAllowed: false, status: Status ?? statusOf(policy), reason: Reason, isFault: false };
}

/** Returns the name of an action in logs, such as `PostPolicy.edit`. */
export function nameOf({ policy, action }: Pick<Question, "policy" | "action">): string {
  return `${settingsOf(policy).name || "(anonymous)"}.${String(action)}`;
}

function verdictOf(question: Question, value: unknown): Verdict {
  if (value === true) return allowed;
  if (value === false) return refusal(question, { Reason: "the policy does not allow it", Status: undefined });
  if (value instanceof Denial) return refusal(question, value);
  return fault(question, `the policy must return a boolean, not ${describe(value)}`);
}

function failure(question: Question, error: unknown): Verdict {
  return fault(question, messageOf(error), error);
}

const noSettings = { name: "" };

function settingsOf(policy: object): Settings {
  // A class is undefined in a circular import, and an object may have no prototype.
  return (typeof policy === "function" ? policy : policy?.constructor ?? noSettings) as unknown as Settings;
}

function statusOf(policy: object): RefusalStatus {
  return settingsOf(policy).Status === 404 ? 404 : 403;
}

/** Reports whether an action is also decided for clients without a user. Otherwise, they are refused. */
function admitsGuests(policy: object, action: string): boolean {
  const { Guests } = settingsOf(policy);
  return Array.isArray(Guests) && Guests.includes(action);
}

/** Returns a method of the application. Those that all objects have, such as `toString`, decide nothing. */
function methodOf(self: object, name: string): Method | undefined {
  if (name === "constructor") return undefined;
  for (let at: object | null = self; at !== null && at !== Object.prototype; at = Object.getPrototypeOf(at)) {
    const value: unknown = Object.getOwnPropertyDescriptor(at, name)?.value;
    if (value !== undefined) return typeof value === "function" ? value as Method : undefined;
  }
  return undefined;
}
