/**
 * Finds the dependencies in the default values of arguments. They are known before the call.
 *
 * @module
 */

import { calleesOfNames, type CallExpression, mentions, readCall } from "../../src/base/signature/call_expression.ts";
import { isInOneBundle } from "../../src/base/signature/one_bundle.ts";
import type { Parameter } from "../../src/base/signature/parameter_list.ts";

/** An injection in a default value. */
export interface DefaultAsk {
  /**
   * Whether the default value starts with a call to `mvc.Inject` or a similar function whose argument is the same in
   * every call. If so, evaluating it injects that dependency before anything else.
   */
  readonly isKnown: boolean;
  /** Whether the default value consists only of that call. If so, the argument is the dependency itself. */
  readonly isWhole: boolean;
  /** Whether another call in the default value may also inject something, under another name. */
  readonly mayInject: boolean;
}

/** The argument of an injecting function: a token, or a schema that may be written inline. */
type InjectArgument = "token" | "schema";

/** The injecting functions by their published names and by their actual names, which a bundler may have changed. */
const published = new Map<string, InjectArgument>();
const bundled = new Map<string, InjectArgument>();

/**
 * Registers an injecting function, so that it is recognized in default values.
 *
 * @param inject The function.
 * @param name The published name.
 * @param argument The kind of its argument.
 */
export function recognize(
  inject: (argument: never) => unknown,
  name: string,
  argument: InjectArgument = "token",
): void {
  published.set(name, argument);
  bundled.set(inject.name, argument);
}

/**
 * Returns the kind of argument of a callee if it is an injecting function. Evaluating a default value means calling the
 * method, so the body of the method would run if the callee came from another library. Therefore, a bare name is only
 * trusted if the program and fw are in the same bundle, where it cannot refer to anything else.
 */
function argumentOf(callee: string): InjectArgument | undefined {
  const path = callee.split(".").map((each) => each.trim());
  const [first = "", second = "", ...more] = path;
  if (path.length === 1) return bundled.has(first) && isInOneBundle() ? bundled.get(first) : undefined;
  return first === "mvc" && more.length === 0 ? published.get(second) : undefined;
}

/** The injections of parameter lists. Many methods share the same list. */
const asksOf = new WeakMap<readonly Parameter[], readonly (DefaultAsk | undefined)[]>();

/**
 * Finds the injections in the default values of parameters.
 *
 * @param parameters All parameters of a function. A default value that depends on another argument may be different in
 * every call.
 * @returns The injection of each parameter, or `undefined` if there is none.
 */
export function readDefaults(parameters: readonly Parameter[]): readonly (DefaultAsk | undefined)[] {
  let asks = asksOf.get(parameters);
  if (asks === undefined) asksOf.set(parameters, asks = parameters.map((each) => readDefault(each, parameters)));
  return asks;
}

function readDefault({ fallback }: Parameter, all: readonly Parameter[]): DefaultAsk | undefined {
  if (fallback === undefined || (fallback.kind !== "call" && fallback.kind !== "other")) return undefined;
  const call = readCall(fallback.source);
  const kind = call === undefined ? undefined : argumentOf(call.callee);
  if (call === undefined || kind === undefined) {
    return { isKnown: false, isWhole: false, mayInject: mayInject(fallback.source) };
  }
  const isKnown = isSame(call, kind, all);
  return { isKnown, isWhole: call.rest === "", mayInject: mayInject(isKnown ? call.rest : fallback.source) };
}

/** Reports whether the argument of an injecting function is the same in every call. */
function isSame({ argument, isPath }: CallExpression, kind: InjectArgument, all: readonly Parameter[]): boolean {
  return (isPath || kind === "schema") &&
    !mentions(argument, new Set(["this", "arguments", ...all.map(({ name }) => name)]));
}

/** Reports whether an expression calls a function that may be `Inject` under another name. */
function mayInject(text: string): boolean {
  return calleesOfNames(text).some((callee) => !Object.hasOwn(globalThis, callee.split(".")[0]?.trim() ?? ""));
}
