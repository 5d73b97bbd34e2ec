/**
 * Runs constructors, methods and providers, and resolves their injections.
 *
 * @module
 */

import { isThenable } from "../../src/async/thenable.ts";
import type { Context } from "../../src/context/context.ts";
import { InputToken, labelOf } from "../reflect/token.ts";
import { type Ask, type Asker, Binding, type Home } from "./binding.ts";
import { enter, type Injector, stopped } from "./inject.ts";
import { captive, circular, takesTime, withoutContext } from "./refusals.ts";
import type { Work } from "./work.ts";

/** The values that injections resolve to. */
export interface Values {
  readonly work: Work | undefined;
  readonly isHalted: boolean;
  /** Returns the value of a dependency. Creates it if it does not exist and can be created synchronously. */
  take(binding: Binding): unknown;
  /** Creates the singletons, one of which may be an instance of a class. */
  decide(home: Home, token: unknown): Promise<void> | undefined;
}

/** A function to run: a constructor, a method or a provider. */
export type Run = (...args: unknown[]) => unknown;

/** Runs the functions of a unit of work, one inside another. */
// One object for all functions instead of one for each: with ten providers, that would take 80 ns per request.
export class Runner implements Injector {
  readonly #values: Values;
  /** The constructor, method or provider that is running. */
  #asker: Asker | undefined = undefined;
  /** The number of dependencies it has injected. Usually, the next known dependency comes next. */
  #cursor = 0;
  /** The error for an asynchronous dependency, even if the program has caught it. */
  #refusal: Error | undefined = undefined;

  constructor(values: Values) {
    this.#values = values;
  }

  /**
   * Runs a constructor, method or provider whose dependencies have been created.
   *
   * @param asker The constructor, method or provider.
   * @param fn The function.
   * @param self The `this` of the function.
   * @param args The arguments, to which the dependencies are added, or a single argument.
   */
  run(asker: Asker, fn: Run, self: unknown, args: unknown): unknown {
    const outer = enter(this);
    const outerAsker = this.#asker;
    const outerCursor = this.#cursor;
    const outerRefusal = this.#refusal;
    this.#asker = asker;
    this.#cursor = 0;
    this.#refusal = undefined;
    try {
      // Passing an array takes twice as long as passing a single argument, which is all that most functions take.
      const result = Array.isArray(args) ? fn.apply(self, this.#fill(asker.asks, args)) : fn.call(self, args);
      return this.#refusal === undefined ? result : fail(this.#refusal, result);
    } finally {
      enter(outer);
      this.#asker = outerAsker;
      this.#cursor = outerCursor;
      this.#refusal = outerRefusal;
    }
  }

  #fill(asks: readonly Ask[], args: unknown[]): unknown[] {
    for (let i = 0; i < asks.length; i++) {
      const { argument, token, isOptional } = asks[i] as Ask;
      if (argument >= 0) args[argument] = this.resolve(token, isOptional);
    }
    return args;
  }

  resolve(token: unknown, isOptional: boolean): unknown {
    const values = this.#values;
    if (values.isHalted) throw stopped;
    const { asks, home } = this.#asker as Asker;
    const next = asks[this.#cursor++];
    const known = next !== undefined && next.token === token ? next.binding : home.lookup(token);
    const binding = known ?? this.#find(token, isOptional);
    if (binding === undefined) return token instanceof InputToken ? this.#read(token) : undefined;
    if (binding.isReady && !binding.isAsync) return binding.value;
    if (binding.lifetime !== "transient") return values.take(binding);
    return binding.provide(this.context(binding));
  }

  /** Returns the context for a provider that takes it. */
  context(binding: Binding): Context {
    const { work } = this.#values;
    if (work === undefined) throw this.captive(binding);
    if (work.context === undefined) throw withoutContext(binding.label());
    return work.context;
  }

  /** Finds an instance of a class among the singletons that have not been created yet. */
  #find(token: unknown, isOptional: boolean): Binding | undefined {
    if (token instanceof InputToken) return undefined;
    const { home } = this.#asker as Asker;
    this.#values.decide(home, token)?.catch(ignore);
    const binding = home.lookup(token);
    if (binding !== undefined || isOptional) return binding;
    throw home.undecided(token).length > 0 ? this.#refuse(token) : home.missing(token);
  }

  /** Reads an input that was not known before. An input with an inline schema is a different one in every call. */
  #read(token: InputToken): unknown {
    const { work } = this.#values;
    if (work === undefined) throw this.captive(token);
    // The input of an argument was read before and is undefined, which is why its default value is evaluated.
    if ((this.#asker as Asker).asks.some((ask) => ask.argument >= 0 && isInput(ask.token, token.kind))) {
      return undefined;
    }
    const value = work.readNow(token);
    if (!isThenable(value)) return value;
    value.then(ignore, ignore);
    return this.refuse(token);
  }

  /** Throws because a dependency is asynchronous. */
  refuse(what: Binding | InputToken): never {
    throw this.#refuse(what);
  }

  #refuse(what: unknown): Error {
    return this.#refusal = takesTime(this.#label(), nameOf(what));
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

/** Fails a function that ran although a dependency was refused, because it may have caught the error. */
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
