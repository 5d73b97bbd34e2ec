/**
 * Runs constructors, methods and providers and resolves their injections.
 *
 * @module
 */

import { isThenable } from "../../src/base/async/thenable.ts";
import { FrameworkError } from "../../src/base/errors/errors.ts";
import type { Context } from "../../src/core/context/context.ts";
import { InputToken, isKey, labelOf } from "../reflect/token.ts";
import { type Ask, type Asker, Binding } from "./binding.ts";
import { enter, type Injector, stopped } from "./inject.ts";
import type { Work } from "./work.ts";

/** A function to run: a constructor, a method or a provider. */
export type Run = (...args: unknown[]) => unknown;

/** Runs the functions of a unit of work. Calls can be nested. */
// A single object is used for all functions. With ten providers, separate objects would take 80 ns per request.
export abstract class Runner implements Injector {
  /** The unit of work, or `undefined` while a singleton is created. */
  readonly work: Work | undefined;
  /**
   * Whether a dependency has stopped the work. If so, no further dependencies are created, and the method is not
   * called.
   */
  isHalted = false;
  /** The constructor, method or provider that is running. */
  #asker: Asker | undefined = undefined;
  /** The number of dependencies injected so far. Usually, the next known dependency is injected next. */
  #cursor = 0;
  /** The error for an asynchronous dependency. It is stored because the program may have caught it. */
  #refusal: Error | undefined = undefined;

  constructor(work?: Work) {
    this.work = work;
  }

  /**
   * Returns the value of a dependency. If it does not exist, it is created if that is possible synchronously.
   *
   * @param binding The dependency.
   * @param asked The injected token, if the dependency was registered without it.
   */
  abstract take(binding: Binding, asked?: unknown): unknown;

  /**
   * Runs a constructor, method or provider whose dependencies have been created.
   *
   * @param asker The constructor, method or provider.
   * @param fn The function.
   * @param self The `this` of the function.
   * @param args An array of arguments, to which the dependencies are added, or a single argument.
   */
  run(asker: Asker, fn: Run, self: unknown, args: unknown): unknown {
    const outer = enter(this);
    const outerAsker = this.#asker;
    const outerCursor = this.#cursor;
    const outerRefusal = this.#refusal;
    try {
      return this.runNext(asker, fn, self, args);
    } finally {
      enter(outer);
      this.#asker = outerAsker;
      this.#cursor = outerCursor;
      this.#refusal = outerRefusal;
    }
  }

  /**
   * Runs a function like {@linkcode Runner.run}, but without activating this injector and restoring the previous
   * function. The caller does that once for a whole plan, which saves 10 ns per provider.
   */
  runNext(asker: Asker, fn: Run, self: unknown, args: unknown): unknown {
    this.#asker = asker;
    this.#cursor = 0;
    this.#refusal = undefined;
    // Passing an array takes twice as long as passing a single argument, and most functions take only one.
    const result = Array.isArray(args) ? fn.apply(self, this.#fill(asker.asks, args)) : fn.call(self, args);
    return this.#refusal === undefined ? result : fail(this.#refusal, result);
  }

  #fill(asks: readonly Ask[], args: unknown[]): unknown[] {
    for (let i = 0; i < asks.length; i++) {
      const { argument, token, isOptional } = asks[i] as Ask;
      if (argument >= 0) args[argument] = this.resolve(token, isOptional);
    }
    return args;
  }

  resolve(token: unknown, isOptional: boolean): unknown {
    if (this.isHalted) throw stopped;
    const { asks, home } = this.#asker as Asker;
    const next = asks[this.#cursor++];
    const known = next !== undefined && next.token === token ? next.binding : undefined;
    const binding = known ?? home.lookup(token) ?? this.#find(token, isOptional);
    if (binding === undefined) return token instanceof InputToken ? this.#read(token) : undefined;
    if (binding.isReady && !binding.isAsync) return binding.value;
    if (binding.lifetime !== "transient") return this.take(binding);
    const value = binding.provide(this.context(binding));
    if (value === undefined && !isOptional && isKey(token)) throw home.missing(token);
    return value;
  }

  /** Returns the context for a provider that takes it. */
  context(binding: Binding): Context {
    if (this.work === undefined) throw this.captive(binding);
    if (this.work.context === undefined) throw withoutContext(binding.label());
    return this.work.context;
  }

  /** Finds an instance of a class among singletons whose class is only known after they have been created. */
  #find(token: unknown, isOptional: boolean): Binding | undefined {
    if (token instanceof InputToken) return undefined;
    const { home } = this.#asker as Asker;
    for (const binding of home.undecided(token)) if (!binding.isRunning) this.take(binding, token);
    const found = home.lookup(token);
    if (found === undefined && !isOptional) throw home.missing(token);
    return found;
  }

  /** Reads an input that was not known in advance. An input with an inline schema is different in every call. */
  #read(token: InputToken): unknown {
    if (this.work === undefined) throw this.captive(token);
    // The input of an argument has already been read and is undefined, so its default value is evaluated.
    if ((this.#asker as Asker).asks.some((ask) => ask.argument >= 0 && isInput(ask.token, token.kind))) {
      return undefined;
    }
    const value = this.work.readNow(token);
    if (!isThenable(value)) return value;
    value.then(ignore, ignore);
    return this.refuse(token);
  }

  /** Throws the error for an asynchronous dependency. */
  refuse(what: unknown): never {
    throw this.#refusal = takesTime(this.#label(), nameOf(what));
  }

  /** Returns the error for a singleton that injects a per-request value. */
  captive(what: Binding | InputToken): Error {
    return captive(this.#label(), nameOf(what), [this.#label()]);
  }

  /** Returns the error for a dependency that depends on itself. */
  circular(binding: Binding): Error {
    const label = binding.label();
    return circular(this.#asker === binding ? [label, label] : [label, "…", this.#label(), label]);
  }

  #label(): string {
    return this.#asker?.label() ?? "";
  }
}

/** Makes a function fail if a dependency was refused while it ran, because the function may have caught the error. */
function fail(refusal: Error, result: unknown): Promise<never> {
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
