/**
 * Runs constructors, methods and providers, and looks up what they inject.
 *
 * @module
 */

import { isThenable } from "../../src/base/thenable.ts";
import type { Context } from "../../src/context/context.ts";
import { labelOf } from "../reflect/token.ts";
import { type Ask, type Asker, Binding, type Home } from "./binding.ts";
import { enter, type Injector, stopped } from "./inject.ts";
import { InputToken } from "./input_token.ts";
import { captive, circular, takesTime, withoutContext } from "./refusals.ts";
import type { Work } from "./work.ts";

/** The values that are looked up. */
export interface Values {
  readonly work: Work | undefined;
  readonly isHalted: boolean;
  /** Returns the value of a dependency; creates it if it is not there and that takes no time. */
  take(binding: Binding): unknown;
  /** Creates the singletons one of which may be of a class. */
  decide(home: Home, token: unknown): Promise<void> | undefined;
}

/** A function that is run: a constructor, a method or a provider. */
export type Run = (...args: unknown[]) => unknown;

/** Runs what belongs to one unit of work, one inside of another. */
// One object for all of them, and not one for each: with ten providers that would take 80 ns per request.
export class Runner implements Injector {
  readonly #values: Values;
  /** What runs. */
  #asker: Asker | undefined = undefined;
  /** How many dependencies it has injected: mostly the next one that is known comes next. */
  #cursor = 0;
  /** The error about a dependency that takes time, also if the program has caught it. */
  #refusal: Error | undefined = undefined;

  constructor(values: Values) {
    this.#values = values;
  }

  /**
   * Runs a constructor, method or provider whose dependencies are prepared.
   *
   * @param asker The constructor, method or provider.
   * @param fn Its function.
   * @param self The `this` of the function.
   * @param args The arguments, of which those that are dependencies are added; or a single argument.
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
      // To pass a list takes twice the time of passing one argument, which is all that most take.
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

  /** The Context for a provider that takes it. */
  context(binding: Binding): Context {
    const { work } = this.#values;
    if (work === undefined) throw this.captive(binding);
    if (work.context === undefined) throw withoutContext(binding.label());
    return work.context;
  }

  /** Finds an instance of a class among the singletons that are not created yet. */
  #find(token: unknown, isOptional: boolean): Binding | undefined {
    if (token instanceof InputToken) return undefined;
    const { home } = this.#asker as Asker;
    this.#values.decide(home, token)?.catch(ignore);
    const binding = home.lookup(token);
    if (binding !== undefined || isOptional) return binding;
    throw home.undecided(token).length > 0 ? this.#refuse(token) : home.missing(token);
  }

  /** Reads an input that was not known before. One whose schema is written in place is another one in every call. */
  #read(token: InputToken): unknown {
    const { work } = this.#values;
    if (work === undefined) throw this.captive(token);
    // The input of an argument was read before, and is undefined: that is why its default value is evaluated.
    if ((this.#asker as Asker).asks.some((ask) => ask.argument >= 0 && isInput(ask.token, token.kind))) {
      return undefined;
    }
    const value = work.readNow(token);
    if (!isThenable(value)) return value;
    value.then(ignore, ignore);
    return this.refuse(token);
  }

  /** Throws because a dependency takes time. */
  refuse(what: Binding | InputToken): never {
    throw this.#refuse(what);
  }

  #refuse(what: unknown): Error {
    return this.#refusal = takesTime(this.#label(), nameOf(what));
  }

  /** The error about a singleton that injects a value of one request. */
  captive(what: Binding | InputToken): Error {
    return captive(this.#label(), nameOf(what), [this.#label()]);
  }

  /** The error about a dependency that is needed to create itself. */
  circular(binding: Binding): Error {
    const label = binding.label();
    return circular(this.#asker === binding ? [label, label] : [label, "…", this.#label(), label]);
  }

  #label(): string {
    return this.#asker?.label() ?? "";
  }
}

/** Fails what has run although a dependency was refused to it: it may have caught the error. */
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
