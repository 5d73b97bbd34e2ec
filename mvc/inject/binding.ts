/**
 * Registered dependencies, each as one record.
 *
 * @module
 */

import type { ResultMiddleware } from "../../src/app/api_container.ts";
import { FrameworkError } from "../../src/base/errors.ts";
import { type Class, isClass, isInstance, isSubclass } from "../reflect/class.ts";
import { parametersOf } from "../reflect/function_signature.ts";
import { isProvider, labelOf, type Provider } from "../reflect/token.ts";
import { InputToken } from "./input_token.ts";
import type { Lifetimes } from "./lifetimes.ts";
import { type Lifetime, type Terms, termsOf } from "./provision.ts";

/** One call of `Inject` that is known before the constructor, method or provider runs. */
export interface Ask {
  readonly token: unknown;
  readonly isOptional: boolean;
  /** Where the call is written, for error messages. */
  readonly where: string;
  /** The index of the argument that is the dependency itself; -1 if the value is used otherwise. */
  readonly argument: number;
  /** False if a call that may inject something under another name is evaluated first: what it injects comes first. */
  readonly isPlanned: boolean;
  /** The registered dependency, once it is known. */
  binding: Binding | undefined;
}

/** One dependency to be created, at its place in a plan. */
export interface Step {
  readonly token: unknown;
  readonly home: Home;
  /** Unknown only until the function that creates an instance of the class has been awaited. */
  binding: Binding | undefined;
  /** The steps that it needs, by index. */
  readonly needs: readonly number[];
  /** The step to go on with if this one fails: the first that needs it, or the end of the plan. */
  failsTo: number;
}

/** A constructor, method or provider that has dependencies. */
export interface Asker {
  readonly home: Home;
  readonly asks: readonly Ask[];
  /** The dependencies to create before it runs, in the order in which they are written. */
  readonly plan: readonly Step[];
  /** Its name in error messages. */
  label(): string;
}

/** Where the dependencies of an asker are registered. */
export interface Home {
  readonly lifetimes: Lifetimes;
  /** Registers a typed input that is known before a request. */
  declare(token: unknown): void;
  /** Finds the dependency that is registered for a token. */
  lookup(token: unknown): Binding | undefined;
  /** The singletons that may turn out to be instances of a class when they are created. */
  undecided(token: unknown): readonly Binding[];
  /** The result handlers of what is served here, the outermost first. */
  allResults(): readonly ResultMiddleware[];
  /** The error about a token that nothing is registered for. */
  missing(token: unknown): FrameworkError;
}

export const noAsks: readonly Ask[] = [];
export const noSteps: readonly Step[] = [];

/** One dependency, and its value if it is a singleton. */
export class Binding implements Asker {
  /** The token; `undefined` for an instance or a function that was registered by itself. */
  readonly token: unknown;
  /** The function or class that creates the value; `undefined` if the value itself was registered. */
  readonly source: Provider<unknown> | Class<object> | undefined;
  readonly provide: (...args: unknown[]) => unknown;
  readonly lifetime: Lifetime;
  /** True if the value is disposed of at the end of the request. */
  readonly isOwned: boolean;
  readonly isParallel: boolean;
  /** True for a typed input. */
  readonly isInput: boolean;
  /** True if the Context is its first argument. */
  readonly takesContext: boolean;
  readonly home: Home;
  /** The index of its value among the values of a scope. */
  readonly place: number;
  asks: readonly Ask[] = noAsks;
  plan: readonly Step[] = noSteps;
  /** True once {@linkcode asks} is known. */
  isLearned: boolean;
  /** True once {@linkcode plan} is made. */
  isPlanned: boolean;
  /** True if the value is known to come as a promise. */
  isAsync: boolean;
  /** True once a singleton has its value. */
  isReady: boolean;
  value: unknown;
  /** A singleton that is being created asynchronously. */
  pending: Promise<unknown> | undefined = undefined;
  /** True while a singleton is being created synchronously. */
  isRunning = false;

  constructor(home: Home, terms: Terms) {
    const { source } = terms;
    const isValue = terms.isValue || (!isClass(source) && !isProvider(source));
    const first = !isValue && isProvider(source) ? firstOf(source) : "nothing";
    this.home = home;
    this.token = terms.token === undefined ? tokenOf(source) : terms.token.is;
    this.source = isValue ? undefined : source as Provider<unknown> | Class<object>;
    this.provide = isClass(source) ? () => Reflect.construct(source, []) : source as () => unknown;
    this.lifetime = isValue ? "singleton" : terms.lifetime ?? lifetimeOf(source, first);
    this.isOwned = terms.isOwned;
    this.isInput = this.token instanceof InputToken;
    this.isParallel = terms.isParallel;
    this.takesContext = this.lifetime !== "singleton" && (first === "context" || first === "unknown");
    this.place = isValue || this.lifetime === "transient" ? -1 : home.lifetimes.newPlace();
    this.isLearned = this.isPlanned = isValue || this.lifetime === "transient";
    this.isAsync = !isValue && isProvider(source) && source.constructor.name === "AsyncFunction";
    this.isReady = isValue;
    this.value = isValue ? source : undefined;
  }

  /**
   * Reports whether the dependency is registered for a token: the token itself, or a class that its value is of.
   *
   * @param token The token.
   */
  provides(token: unknown): boolean {
    if (token === undefined) return false;
    if (token === this.token || token === this.source) return true;
    if (!isClass(token)) return false;
    if (isClass(this.token)) return isSubclass(this.token, token);
    return this.token === undefined && this.isReady && isInstance(this.value, token);
  }

  label(): string {
    return labelOf(this.token ?? this.source ?? this.value);
  }
}

/**
 * Creates the record of a dependency that was passed to `Register`.
 *
 * @param home Where it is registered.
 * @param dependency An instance, a class, a provider function, or what {@linkcode Provide} and its like return.
 */
export function toBinding(home: Home, dependency: unknown): Binding {
  const terms = termsOf(dependency);
  const { source } = terms;
  if (isClass(source) && !terms.isValue && source.length > 0) {
    throw new FrameworkError(
      "FW_DEPENDENCY",
      `Cannot register the class "${source.name}": its constructor gets no arguments, so give them default values`,
    );
  }
  if (terms.token === undefined && isUnnamed(source, terms.isValue)) {
    throw new FrameworkError(
      "FW_DEPENDENCY",
      `Cannot register "${hasNoClass(source) ? "a plain object" : String(source)}": ` +
        "it has no class to be found by, so register mvc.Provide(token, value)",
    );
  }
  return new Binding(home, terms);
}

/** A class is found by itself; a function may name in `Provides` the class or token of the value that it creates. */
function tokenOf(source: unknown): unknown {
  if (isClass(source)) return source;
  return isProvider(source) && "Provides" in source ? source.Provides : undefined;
}

/** The lifetime that the parameters of a function imply; a class without further notice is a singleton. */
function lifetimeOf(source: unknown, first: FirstParameter): Lifetime {
  if (first === "unknown") {
    throw new FrameworkError(
      "FW_DEPENDENCY",
      `Cannot register the function "${labelOf(source)}": its parameters do not tell how often it is to run; ` +
        "register mvc.Singleton(fn) for one value of all requests or mvc.PerRequest(fn) for one of each",
    );
  }
  return first === "context" ? "request" : "singleton";
}

type FirstParameter = "context" | "dependency" | "nothing" | "unknown";

/** What the first parameter of a function receives. */
function firstOf(provide: Provider<unknown>): FirstParameter {
  const parameters = parametersOf(provide);
  // Of a bound or native function only the number of required arguments is known.
  if (parameters === undefined) return provide.length > 0 ? "context" : "unknown";
  const [first] = parameters;
  if (first === undefined) return "nothing";
  if (first.form === "rest") return "unknown";
  return first.fallback === undefined ? "context" : "dependency";
}

/** Reports whether a value has no class to be found by. A function is found by itself, unless it is a value. */
function isUnnamed(source: unknown, isValue: boolean): boolean {
  if (typeof source === "function") return isValue;
  return typeof source !== "object" || source === null || hasNoClass(source);
}

function hasNoClass(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === Array.prototype || prototype === null;
}
