/**
 * The functions that ask policies.
 *
 * @module
 */

import { func, kind, methods, type Option, text, where } from "../../base/config/option_kinds.ts";
import { checkArgument } from "../../base/config/option_table.ts";
import { describe } from "../../base/async/callback.ts";
import { HTTPError } from "../../base/errors/errors.ts";
import { Logger as NewLogger } from "../../base/log/logger.ts";
import type { Logger as LoggerType } from "../../base/log/logger.ts";
import type { Context } from "../../core/context/context.ts";
import { decisions } from "../../core/context/decisions.ts";
import type { Handler } from "../../core/context/handler.ts";
import { noteFacts } from "../../core/exchange/handler_facts.ts";
import {
  ask,
  type Decision,
  Denial,
  fault,
  nameOf,
  type Policy,
  type Question,
  refusal,
  type RefusalStatus,
  settle,
  type Verdict,
} from "./verdict.ts";

/** A method of a policy. Its users and further arguments have types of the application. */
// deno-lint-ignore no-explicit-any -- the methods of a policy take users and objects of the application's own types
export type PolicyMethod<R> = (user: any, ...args: any[]) => R;

/** The names of a policy's actions: the methods that return a decision. */
export type ActionOf<P extends object> =
  & { [K in keyof P]: P[K] extends PolicyMethod<Decision | Promise<Decision>> ? K : never }[keyof P]
  & string;

/** The user for whom a policy is asked. A client that is not logged in is `undefined` or `null`. */
export type UserOf<P extends object, A extends keyof P> = P[A] extends (user: infer U, ...args: never[]) => unknown
  ? U | undefined | null
  : never;

/** The further arguments of an action, such as the object that the user wants to change. */
export type ArgumentsOf<P extends object, A extends keyof P> = P[A] extends
  (user: never, ...args: infer Rest) => unknown ? Rest : never;

/** A result that is a promise if the method of the policy returns one. */
export type AskedOf<P extends object, A extends keyof P, T> = P[A] extends PolicyMethod<infer R>
  ? R extends PromiseLike<unknown> ? Promise<T> : T
  : never;

/** The condition that a policy has for the lists of an action: the result of its method `<action>Where`. */
export type ConditionOf<P extends object, A extends string> = P extends Record<`${A}Where`, PolicyMethod<infer R>> ? R
  : never;

/** The actions of a policy that have a condition for lists. */
export type ListedActionOf<P extends object> = {
  [K in keyof P]: K extends `${infer A}Where` ? A : never;
}[keyof P];

/**
 * Creates the result of a policy's method that refuses, with a reason for the log.
 *
 * @param reason The reason, such as `only the author may edit a post`. It is logged and not sent to the client.
 * @param options The status of the response. If omitted, it is the static member `Status` of the policy, or 403.
 * @returns The refusal.
 */
export function Deny(reason: string, options: { readonly Status?: RefusalStatus } = {}): Denial {
  checkArgument(reason, text(), "reason", "policy.Deny");
  checkArgument(options, denyRule, "options", "policy.Deny");
  return new Denial(reason, options.Status);
}

/**
 * Throws unless a policy allows an action. It needs no request context, so that it is called in the same way by routes,
 * controllers, socket events, tools and jobs. Await it if the policy's method is asynchronous.
 *
 * A policy allows an action only by returning `true`. `false`, a {@linkcode Deny | denial}, a value of another type and
 * an error are refusals, and so is a user that is `undefined` or `null`, unless the policy lists the action in its
 * static member `Guests`. A refusal is logged once, with its reason.
 *
 * @param user The user.
 * @param policy The class, or an instance of it if it has dependencies.
 * @param action The name of the method.
 * @param args The further arguments of the method.
 * @returns Nothing, or a promise if the policy's method returns one.
 * @throws {HTTPError} With status 401 if there is no user, and otherwise with status 403 or 404.
 */
export function Check<P extends object, A extends ActionOf<P>>(
  user: UserOf<P, A>,
  policy: Policy<P>,
  action: A,
  ...args: ArgumentsOf<P, A>
): AskedOf<P, A, void> {
  const question: Question = { user, policy, action, args };
  return then(asked(question), (verdict) => demand(question, verdict)) as AskedOf<P, A, void>;
}

/**
 * Reports whether a policy allows an action, for example to show a button. Refusals are not logged, but policies that
 * cannot decide are.
 *
 * @param user The user.
 * @param policy The class, or an instance of it.
 * @param action The name of the method.
 * @param args The further arguments of the method.
 * @returns Whether the policy allows the action, or a promise if its method returns one.
 */
export function Allows<P extends object, A extends ActionOf<P>>(
  user: UserOf<P, A>,
  policy: Policy<P>,
  action: A,
  ...args: ArgumentsOf<P, A>
): AskedOf<P, A, boolean> {
  const question: Question = { user, policy, action, args };
  return then(ask(question), (verdict) => {
    if (verdict.isFault) report(question, verdict, logger);
    return verdict.isAllowed;
  }) as AskedOf<P, A, boolean>;
}

/**
 * Returns the condition under which an action is allowed, for the query of a list: the result of the policy's method
 * `<action>Where`, such as `viewWhere`. The condition has the form that the application's queries need.
 *
 * @param user The user.
 * @param policy The class, or an instance of it.
 * @param action The action, such as `view`.
 * @returns The condition, or a promise if the method returns one.
 * @throws {HTTPError} With status 401 if there is no user, and with status 403 or 404 if the method returns a denial,
 * fails or returns no condition. A query without a condition would list everything.
 */
export function Where<P extends object, A extends ListedActionOf<P> & string>(
  user: UserOf<P, `${A}Where` & keyof P>,
  policy: Policy<P>,
  action: A,
): ConditionOf<P, A> {
  const question: Question = { user, policy, action: `${action}Where`, args: [], listed: action };
  decisions.note?.();
  const result = settle(question, (method, self) => method.call(self, user), conditionOf);
  return then(result, (found) => {
    if (found instanceof Condition) return found.value;
    demand(question, found);
  }) as ConditionOf<P, A>;
}

/**
 * Creates middleware that asks a policy about an action without further arguments, such as `create`. A refusal is
 * logged by the application. The command `routes --guards` lists the middleware.
 *
 * @param policy The class, or an instance of it.
 * @param action The name of the method, which is called with `ctx.User()`.
 * @returns The middleware.
 */
export function Require<P extends object, A extends ActionOf<P>>(
  policy: Policy<P>,
  action: ArgumentsOf<P, A> extends [] ? A : never,
): Handler {
  checkArgument(policy, policyRule, "policy", "policy.Require");
  checkArgument(action, actionOf(policy), "action", "policy.Require");
  const guard = nameOf({ policy, action });
  return noteFacts(async function policy_(ctx: Context): Promise<void> {
    const question: Question = { user: ctx.User(), policy, action, args: [] };
    demand(question, await asked(question), ctx.Logger());
    await ctx.Next();
  }, { isGuard: true, needsUser: true, guard });
}

/**
 * Middleware that declares a route as open to everyone, such as a login form. It does nothing but state the intention:
 * tests then accept writes without a guard, and the command `routes --guards` shows `anyone`.
 *
 * @param ctx The request context.
 * @returns The result of the next handler.
 */
export const Anyone: Handler = noteFacts(function anyone(ctx: Context): void | Promise<void> {
  return ctx.Next();
}, { guard: "anyone" });

/**
 * Marks middleware of the application as a guard: it decides whether a request may go on. Tests then accept writes
 * behind it, and the command `routes --guards` lists it by its name.
 *
 * @param guard The middleware. It may have injected arguments.
 * @returns The same middleware.
 */
export function Guard<H extends object>(guard: H): H {
  checkArgument(guard, func(), "guard", "policy.Guard");
  return noteFacts(guard, { isGuard: true });
}

const denyRule = kind<object, undefined>(
  "an object whose Status is 403 or 404",
  (value) =>
    Object.prototype.toString.call(value) === "[object Object]" &&
    Object.entries(value as object).every(([name, status]) =>
      name === "Status" && [undefined, 403, 404].includes(status)
    ),
  undefined,
);

const policyRule = kind<object, undefined>(
  "a class or an object with methods",
  (value) =>
    typeof value === "function" && value.prototype !== undefined || typeof value === "object" && value !== null,
  undefined,
);

/** Returns the rule for the actions of a policy. Methods that are class fields exist only in instances. */
function actionOf(policy: object): Option<string, undefined> {
  const has = (owner: unknown, name: string) => typeof Object(owner)[name] === "function";
  return where(text(), "the name of a method of the policy", (name) => {
    if (typeof policy !== "function") return has(policy, name);
    return has(policy.prototype, name) || has(Reflect.construct(policy, []), name);
  });
}

let logger: LoggerType = new NewLogger();

/**
 * Returns the logger for refusals. Unless {@linkcode SetLogger} replaces it, it writes to standard output.
 *
 * @returns The logger.
 */
export function Logger(): LoggerType {
  return logger;
}

/**
 * Sets the logger for refusals, such as that of the application.
 *
 * @param other The logger.
 */
export function SetLogger(other: LoggerType): void {
  checkArgument(other, methods<LoggerType>("Warn", "Error"), "other", "policy.SetLogger");
  logger = other;
}

/** A condition for lists. */
class Condition {
  readonly value: unknown;

  constructor(value: unknown) {
    this.value = value;
  }
}

function conditionOf(question: Question, value: unknown): Condition | Verdict {
  if (value instanceof Denial) return refusal(question, value);
  const isCondition = (typeof value === "object" && value !== null) || typeof value === "function" ||
    (typeof value === "string" && value.trim() !== "");
  return isCondition
    ? new Condition(value)
    : fault(question, `the policy must return a condition, not ${value === "" ? '""' : describe(value)}`);
}

function asked(question: Question): Verdict | Promise<Verdict> {
  decisions.note?.();
  return ask(question);
}

/** Throws unless the verdict is a permission. */
function demand(question: Question, verdict: Verdict, log: LoggerType = logger): void {
  if (verdict.isAllowed) return;
  decisions.note?.(nameOf(question));
  report(question, verdict, log);
  if (verdict.error instanceof HTTPError) throw verdict.error;
  const cause = verdict.error ?? new Error(`Denied ${nameOf(question)}: ${verdict.reason}`);
  throw new HTTPError(verdict.status, "", { cause, Code: "FW_AUTH" });
}

function report(question: Question, { reason, isFault, error }: Verdict, log: LoggerType): void {
  const line = `Denied ${nameOf(question)} to ${labelOf(question.user)}: ${reason}`;
  if (!isFault) log.Warn(line);
  else if (error === undefined) log.Error(line);
  else log.Error(line, error);
}

/** Names a user in the log by the member that contains the ID. */
function labelOf(user: unknown): string {
  if (user === undefined || user === null) return "a guest";
  const { ID, id } = user as { readonly ID?: unknown; readonly id?: unknown };
  const known = ID ?? id;
  return ["string", "number", "bigint"].includes(typeof known) ? `user "${known}"` : "a user without an ID";
}

function then<T, U>(value: T | Promise<T>, next: (value: T) => U): U | Promise<U> {
  return value instanceof Promise ? value.then(next) : next(value);
}
