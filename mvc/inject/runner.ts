/**
 * Resolves injections that are not in a plan, and creates the errors of injections.
 *
 * @module
 */

import { isThenable } from "../../src/base/async/thenable.ts";
import { FrameworkError } from "../../src/base/errors/errors.ts";
import type { Context } from "../../src/core/context/context.ts";
import { InputToken, labelOf } from "../reflect/token.ts";
import { type Ask, type Asker, Binding } from "./binding.ts";
import type { Injector } from "./inject.ts";
import type { Work } from "./work.ts";

/** A function to run: a constructor, a method or a provider. */
export type Run = (...args: unknown[]) => unknown;

/** Runs the functions of a unit of work. Implemented by the scope. */
export interface Runner extends Injector {
  /** The unit of work, or `undefined` while a singleton is created. */
  readonly work: Work | undefined;
  /** The constructor, method or provider that is running. */
  readonly asker: Asker | undefined;
  /**
   * Returns the value of a dependency. If it does not exist, it is created if that is possible synchronously.
   *
   * @param binding The dependency.
   * @param asked The injected token, if the dependency was registered without it.
   */
  take(binding: Binding, asked?: unknown): unknown;
  /** Throws the error for an asynchronous dependency. */
  refuse(what: unknown): never;
}

/** Adds the dependencies to the arguments of a function. */
export function fill(runner: Runner, asks: readonly Ask[], args: unknown[]): unknown[] {
  for (let i = 0; i < asks.length; i++) {
    const { argument, token, isOptional } = asks[i] as Ask;
    if (argument >= 0) args[argument] = runner.resolve(token, isOptional);
  }
  return args;
}

/** Returns the context for a provider that takes it. */
export function contextFor(runner: Runner, binding: Binding): Context {
  const { work } = runner;
  if (work === undefined) throw captiveOf(runner, binding);
  if (work.context === undefined) throw withoutContext(binding.label());
  return work.context;
}

/** Finds an instance of a class among singletons whose class is only known after they have been created. */
export function findLate(runner: Runner, token: unknown, isOptional: boolean): Binding | undefined {
  if (token instanceof InputToken) return undefined;
  const { home } = runner.asker as Asker;
  for (const binding of home.undecided(token)) if (!binding.isRunning) runner.take(binding, token);
  const found = home.lookup(token);
  if (found === undefined && !isOptional) throw home.missing(token);
  return found;
}

/** Reads an input that was not known in advance. An input with an inline schema is different in every call. */
export function readLate(runner: Runner, token: InputToken): unknown {
  const { work, asker } = runner;
  if (work === undefined) throw captiveOf(runner, token);
  // The input of an argument has already been read and is undefined, so its default value is evaluated.
  if ((asker as Asker).asks.some((ask) => ask.argument >= 0 && isInput(ask.token, token.kind))) return undefined;
  const value = work.readNow(token);
  if (!isThenable(value)) return value;
  value.then(ignore, ignore);
  return runner.refuse(token);
}

/** Returns the error for a singleton that injects a per-request value. */
export function captiveOf({ asker }: Runner, what: Binding | InputToken): Error {
  return captive(labelOfAsker(asker), nameOf(what), [labelOfAsker(asker)]);
}

/** Returns the error for a dependency that depends on itself. */
export function circularAt({ asker }: Runner, binding: Binding): Error {
  const label = binding.label();
  return circular(asker === binding ? [label, label] : [label, "…", labelOfAsker(asker), label]);
}

/** Returns the error for an asynchronous dependency that cannot be awaited where it is injected. */
export function lateError({ asker }: Runner, what: unknown): FrameworkError {
  return takesTime(labelOfAsker(asker), nameOf(what));
}

function labelOfAsker(asker: Asker | undefined): string {
  return asker?.label() ?? "";
}

/** Makes a function fail if a dependency was refused while it ran, because the function may have caught the error. */
export function fail(refusal: Error, result: unknown): Promise<never> {
  function thrower(): never {
    throw refusal;
  }
  return isThenable(result) ? result.then(thrower, thrower) : thrower();
}

function isInput(token: unknown, kind: InputToken["kind"]): boolean {
  return token instanceof InputToken && token.kind === kind;
}

function nameOf(what: unknown): string {
  return what instanceof Binding ? what.label() : labelOf(what);
}

function ignore(): void {}

/**
 * Creates the error for circular dependencies.
 *
 * @param way The names on the path from the dependency back to itself.
 */
export function circular(way: readonly string[]): FrameworkError {
  return new FrameworkError(
    "FW_DEPENDENCY",
    `Cannot create "${way.at(-1)}": circular dependency (${way.join(" → ")})`,
  );
}

/**
 * Creates the error for a singleton that depends on a per-request value.
 *
 * @param singleton The name of the singleton.
 * @param dependency The name of the per-request value.
 * @param way The names on the path to the singleton, including its own.
 */
export function captive(singleton: string, dependency: string, way: readonly string[]): FrameworkError {
  return new FrameworkError(
    "FW_DEPENDENCY",
    `Cannot create the singleton "${singleton}": it depends on "${dependency}", which is created per request ` +
      `(${[...way, dependency].join(" → ")}); register mvc.PerRequest(${singleton}), ` +
      `or pass "${dependency}" to its methods`,
  );
}

/**
 * Creates the error for an asynchronous dependency that cannot be awaited where it is injected.
 *
 * @param asker The name of the constructor, method or provider.
 * @param dependency The name of the dependency.
 */
function takesTime(asker: string, dependency: string): FrameworkError {
  return new FrameworkError(
    "FW_DEPENDENCY",
    `Cannot inject "${dependency}" here in "${asker}": it is asynchronous and could not be awaited before "${asker}" ran; ` +
      "inject it unconditionally and before other dependencies are used, in a field, in a constructor or as a " +
      "default argument written as mvc.Inject(...)",
  );
}

/**
 * Creates the error for a provider that needs the context outside a request.
 *
 * @param provider The name of the provider.
 */
function withoutContext(provider: string): FrameworkError {
  return new FrameworkError(
    "FW_DEPENDENCY",
    `Cannot create "${provider}": it takes the Context, but this code does not serve a request`,
  );
}
