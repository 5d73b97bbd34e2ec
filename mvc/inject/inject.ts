/**
 * `mvc.Inject`, what it asks while a constructor, a method or a provider runs, and how the default value of an argument is
 * read that asks for something which can be known before the call.
 *
 * An injector is in force only while something of the program runs synchronously; none is in force across an await, so
 * two requests never see each other's.
 *
 * @module
 */

import { FrameworkError } from "../../src/base/errors.ts";
import { Tokenizer } from "../reflect/js_tokenizer.ts";
import type { Parameter } from "../reflect/signature.ts";
import {
  type AnyToken,
  type Class,
  type ClosedClass,
  labelOf,
  type NotAFunction,
  type Provider,
  type Token,
} from "../reflect/token.ts";

/** What the default value of an argument asks for. */
export interface DefaultAsk {
  /**
   * True when it begins with a call of `Inject` or its kin, with an argument that is the same in every call, so that
   * evaluating it asks for that before anything else.
   */
  readonly isKnown: boolean;
  /** True when it is nothing but that call, so that the argument is the dependency itself. */
  readonly isWhole: boolean;
  /** How many other calls in it may be `Inject` by another name. */
  readonly others: number;
}

/** What a function that asks is called with: a token, or a schema, which is the same in every call however it is written. */
type AskArgument = "token" | "schema";

/** The names by which the functions that ask are called in source text. */
const names = new Map<string, AskArgument>();

/**
 * Has a function recognised in default values. In a bundle its name is the one that the minifier gave it, in the text of
 * its callers and in its own property `name` alike.
 *
 * @param ask The function.
 * @param name Its published name.
 * @param argument What it is called with.
 */
export function recognise(ask: (argument: never) => unknown, name: string, argument: AskArgument = "token"): void {
  names.set(name, argument);
  names.set(ask.name, argument);
}

const word = "[\\p{ID_Continue}$]+";
const path = `${word}(?:\\s*\\.\\s*${word})*`;
/** A callee, which bundlers also write as `(0, mvc.Inject)`, and its opening bracket. */
const callPattern = new RegExp(`^(?:\\(\\s*0\\s*,\\s*(?<wrapped>${path})\\s*\\)|(?<plain>${path}))\\s*\\(`, "u");
const pathPattern = new RegExp(`^\\s*${path}\\s*,?\\s*$`, "u");
const tokenCallPattern = new RegExp(`(?<callee>${path})\\s*\\)?\\s*\\(\\s*(?!\\d)${path}\\s*,?\\s*\\)`, "gu");

/**
 * Reads the default value of a parameter.
 *
 * @param parameters All parameters of the function: a default value that depends on another argument differs by call.
 * @param index The parameter.
 */
export function readDefault(parameters: readonly Parameter[], index: number): DefaultAsk | undefined {
  const { fallback } = parameters[index] ?? {};
  if (fallback === undefined || (fallback.kind !== "call" && fallback.kind !== "other")) return undefined;
  const { source } = fallback;
  let call = calls.get(source);
  if (call === undefined) calls.set(source, call = readCall(source));
  const { argument, rest } = call;
  if (argument === undefined) return { isKnown: false, isWhole: false, others: call.others };
  const isKnown = call.isSame && !mentions(argument, parameters);
  return { isKnown, isWhole: rest === "", others: isKnown ? countOthers(rest) : call.others };
}

/** A default value by itself. */
interface ReadCall {
  /** What a function that asks is called with, if the value begins with such a call. */
  readonly argument: string | undefined;
  /** True when that is the same in every call, as far as it does not depend on other arguments. */
  readonly isSame: boolean;
  /** What follows the call. */
  readonly rest: string;
  /** How many calls in the whole may be `Inject` by another name. */
  readonly others: number;
}

/** Default values by their text: many arguments ask for one and the same. */
const calls = new Map<string, ReadCall>();

function readCall(text: string): ReadCall {
  const others = countOthers(text);
  const match = callPattern.exec(text);
  const asks = asksFor(match?.groups?.wrapped ?? match?.groups?.plain ?? "");
  const close = match === null || asks === undefined ? undefined : closingIndex(text, match[0].length);
  if (match === null || close === undefined) return { argument: undefined, isSame: false, rest: "", others };
  const argument = text.slice(match[0].length, close);
  const isSame = asks === "schema" || pathPattern.test(argument);
  return { argument, isSame, rest: text.slice(close + 1).trim(), others };
}

/** What a callee is called with, if it is a function that asks. Other modules have a `Query` or a `Body` too. */
function asksFor(callee: string): AskArgument | undefined {
  const path = callee.split(".").map((each) => each.trim());
  const asks = names.get(path.at(-1) ?? "");
  return asks === "schema" && path.length > 1 && path.join(".") !== `mvc.${path.at(-1)}` ? undefined : asks;
}

/** Finds the bracket that closes the one before an index. */
function closingIndex(text: string, from: number): number | undefined {
  const tokens = new Tokenizer(text, from);
  let depth = 1;
  for (let token = tokens.next(); token.kind !== "end"; token = tokens.next()) {
    if (token.kind !== "punctuation") continue;
    if (/^[([{]$/.test(token.text)) depth++;
    else if (/^[)\]}]$/.test(token.text) && --depth === 0) return token.start;
  }
  return undefined;
}

/** Reports whether an expression uses `this` or an argument of the same call. */
function mentions(expression: string, parameters: readonly Parameter[]): boolean {
  const tokens = new Tokenizer(expression);
  const own = new Set(["this", "arguments", ...parameters.map(({ name }) => name)]);
  let last = "";
  for (let token = tokens.next(); token.kind !== "end"; token = tokens.next()) {
    if (token.kind === "template" && expression.includes("${")) return true;
    if (token.kind === "name" && last !== "." && last !== "?." && own.has(token.text)) return true;
    last = token.text;
  }
  return false;
}

/**
 * Counts the calls that may be `Inject` or its kin under another name: those with a name for their argument, or, as what
 * the default value begins with, with an expression; not of literals, and not of functions of the platform.
 */
function countOthers(text: string): number {
  if (text === "") return 0;
  const calls = [...text.matchAll(tokenCallPattern)].filter(({ groups }) => !isGlobal(groups?.callee ?? ""));
  const first = callPattern.exec(text);
  const isCall = first !== null && /^\s*[\p{ID_Start}$_]/u.test(text.slice(first[0].length));
  return Math.max(calls.length, isCall && !isGlobal(first.groups?.wrapped ?? first.groups?.plain ?? "") ? 1 : 0);
}

function isGlobal(callee: string): boolean {
  return Object.hasOwn(globalThis, callee.split(".")[0]?.trim() ?? "");
}

/**
 * Asks for a dependency: in a field, in a constructor, or in the default value of an argument of a constructor, a method
 * or a provider; and, where its value does not take time, also in a body before the first `await`. Anywhere else it
 * throws: after an `await`, in a callback, at module level, and in an instance that fw did not construct.
 *
 * Dependencies are created in the order in which they are written, one after another. Once one of them has failed or has
 * stopped the request, no later one is created and the method is not called.
 *
 * What a promise gives is waited for. A constructor that asks for it may be run anew when it is there, so constructors
 * must have no side effects; the body of a method or a provider runs once, so there it is an error to ask for what takes
 * time.
 *
 * @example A field and an argument
 * ```ts
 * import * as fw from "@fw/web";
 * import * as mvc from "@fw/web/mvc";
 *
 * class UserService {
 *   find(id: bigint) {
 *     return { id, name: "Ada" };
 *   }
 * }
 * function userAgent(ctx: fw.Context) {
 *   return ctx.GetHeader("user-agent");
 * }
 * class UserController {
 *   users = mvc.Inject(UserService);
 *   GetBy(id = 0n, agent = mvc.Inject(userAgent)) {
 *     return { ...this.users.find(id), agent };
 *   }
 * }
 * const app = fw.New();
 * mvc.New(app.Party("/users")).Register(new UserService(), userAgent).Handle(UserController);
 *
 * const request = new Request("http://localhost/users/1", { headers: { "user-agent": "docs" } });
 * await (await app.fetch(request)).json(); // → { id: 1, name: "Ada", agent: "docs" }
 * ```
 *
 * @param token A class, a token or a registered provider function, of which the value is injected.
 * @returns The dependency.
 */
export function Inject<T>(token: Class<T>): T;
/**
 * Asks for the dependency that is registered for a token.
 *
 * @param token The token.
 * @returns The dependency.
 */
export function Inject<T>(token: Token<T>): T;
/**
 * Asks for what a registered function creates.
 *
 * @param token The function.
 * @returns What it creates; of a promise, what it gives.
 */
export function Inject<T>(token: Provider<T>): T;
/**
 * Asks for an instance of a class with a private constructor.
 *
 * @param token The class.
 * @returns The dependency.
 */
export function Inject<C extends ClosedClass<unknown>>(token: C & NotAFunction<C>): C["prototype"];
export function Inject(token: AnyToken<unknown> | ClosedClass<object>): unknown {
  return ask(token);
}

/** Where dependencies are found. */
export interface Injector {
  /** Finds the value for a token, or throws {@linkcode suspended} if it has to be waited for. */
  resolve(token: unknown): unknown;
}

/** Thrown in place of a value that has to be waited for; the injector knows what for. */
export const suspended: FrameworkError = new FrameworkError(
  "FW_DEPENDENCY",
  "Cannot go on yet: a dependency takes time, and what asks for it is repeated when it is there",
);

/** Thrown in place of a value when a dependency has stopped the request. */
export const stopped: FrameworkError = new FrameworkError(
  "FW_DEPENDENCY",
  "Cannot go on: a dependency has stopped the request",
);

let current: Injector | undefined = undefined;

/**
 * Puts an injector in force.
 *
 * @param injector The injector.
 * @returns The injector that was in force before, to be put back in a `finally`.
 */
export function enter(injector: Injector | undefined): Injector | undefined {
  const outer = current;
  current = injector;
  return outer;
}

/**
 * Asks the injector in force.
 *
 * @param token What is asked for.
 * @returns The value.
 */
export function ask(token: unknown): unknown {
  if (current === undefined) throw outside(token);
  return current.resolve(token);
}

function outside(token: unknown): FrameworkError {
  return new FrameworkError(
    "FW_DEPENDENCY",
    `Cannot inject "${
      labelOf(token)
    }": this is after an await, in a callback, at module level or in the constructor of ` +
      "a class that the program constructs itself; ask in a field, a constructor or a default argument, and let fw " +
      "construct the class, with Register(Class) or Handle(mvc.Singleton(Class))",
  );
}

recognise(Inject, "Inject");
