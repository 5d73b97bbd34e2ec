/**
 * The records of registered dependencies.
 *
 * @module
 */

import { FrameworkError } from "../../src/base/errors/errors.ts";
import { parametersOf } from "../../src/base/signature/signature.ts";
import { takesArguments } from "../reflect/controller.ts";
import {
  type Class,
  classOf,
  InputToken,
  isClass,
  isInstance,
  isProvider,
  isSubclass,
  labelOf,
  type Provider,
} from "../reflect/token.ts";
import type { Lifetimes } from "./lifetimes.ts";
import { type Lifetime, type Terms, termsOf } from "./provision.ts";

/** An `Inject` call that is known before the constructor, method or provider runs. */
export interface Ask {
  readonly token: unknown;
  readonly isOptional: boolean;
  /** The location of the call, for error messages. */
  readonly where: string;
  /** The index of the argument that is the dependency itself, or -1 if the value is used in another way. */
  readonly argument: number;
  /**
   * Whether the dependency is created in advance. `false` if another call, which may inject something under another
   * name, is evaluated first.
   */
  readonly isPlanned: boolean;
  /** The registered dependency, or `undefined` if it is not known yet. */
  binding: Binding | undefined;
}

/** A dependency to create, at its position in a plan. */
export interface Step {
  readonly binding: Binding;
  /** The indices of the steps that this step needs. */
  readonly needs: readonly number[];
  /** The step to continue with if this one fails. This is the first step that needs it, or the end of the plan. */
  failsTo: number;
}

/** A constructor, method or provider that has dependencies. */
export interface Asker {
  readonly home: Home;
  readonly asks: readonly Ask[];
  /** The dependencies to create before it runs, in source order. */
  readonly plan: readonly Step[];
  /** Returns the name for error messages. */
  label(): string;
}

/** The place where the dependencies of an asker are registered. */
export interface Home {
  readonly lifetimes: Lifetimes;
  /** Registers a typed input that is known before a request. */
  declare(token: unknown): void;
  /** Finds the dependency that is registered for a token. */
  lookup(token: unknown): Binding | undefined;
  /** Returns the singletons that may be instances of a class but have not been created yet. */
  undecided(token: unknown): readonly Binding[];
  /** Returns the error for a token without a registered dependency. */
  missing(token: unknown): FrameworkError;
  /** Lists the registered dependencies. */
  describe(): string;
}

/**
 * Creates the record of a required injection.
 *
 * @param token The token.
 * @param binding The dependency, if it is already known.
 */
export function newAsk(token: unknown, binding?: Binding): Ask {
  return { token, isOptional: false, where: "", argument: -1, isPlanned: true, binding };
}

export const noAsks: readonly Ask[] = [];
export const noSteps: readonly Step[] = [];

/** A dependency, and its value if it is a singleton. */
export class Binding implements Asker {
  /** The token, or `undefined` for an instance or a function that was registered without one. */
  readonly token: unknown;
  /** The token, if it is a class. */
  readonly #type: Class<object> | undefined;
  /** The function or class that creates the value, or `undefined` if a value was registered. */
  readonly source: Provider<unknown> | Class<object> | undefined;
  readonly provide: (...args: unknown[]) => unknown;
  readonly lifetime: Lifetime;
  /** Whether the value is disposed of at the end of the request. */
  readonly isOwned: boolean;
  readonly isParallel: boolean;
  /** Whether this is a typed input. */
  readonly isInput: boolean;
  /** Whether the first argument is the context. */
  readonly takesContext: boolean;
  readonly home: Home;
  /** The index of the value in a scope. */
  readonly place: number;
  asks: readonly Ask[] = noAsks;
  plan: readonly Step[] = noSteps;
  /** Whether {@linkcode asks} has been determined. */
  isDiscovered: boolean;
  /** Whether {@linkcode plan} has been created. */
  isPlanned: boolean;
  /** Whether the value is known to be a promise. */
  isAsync: boolean;
  /** Whether the singleton has its value. */
  isReady: boolean;
  value: unknown;
  /** The instance from the trial run of a constructor, if it can be used as the singleton. */
  tried: object | undefined = undefined;
  /** The promise for a singleton that is being created asynchronously. */
  pending: Promise<unknown> | undefined = undefined;
  /** Whether a singleton is being created synchronously. */
  isRunning = false;

  constructor(home: Home, terms: Terms) {
    const { source, isValue } = terms;
    const first = !isValue && isProvider(source) ? firstOf(source) : "nothing";
    this.home = home;
    this.token = terms.token === undefined ? tokenOf(source) : terms.token.is;
    this.#type = classOf(this.token);
    this.source = isValue ? undefined : source as Provider<unknown> | Class<object>;
    this.provide = isClass(source) ? () => Reflect.construct(source, []) : source as () => unknown;
    this.lifetime = isValue ? "singleton" : terms.lifetime ?? lifetimeOf(source, first);
    this.isOwned = terms.isOwned;
    this.isInput = this.token instanceof InputToken;
    this.isParallel = terms.isParallel;
    this.takesContext = this.lifetime !== "singleton" && (first === "context" || first === "unknown");
    this.place = isValue || this.lifetime === "transient" ? -1 : home.lifetimes.newPlace();
    this.isDiscovered = this.isPlanned = isValue || this.lifetime === "transient";
    this.isAsync = !isValue && isProvider(source) && source.constructor.name === "AsyncFunction";
    this.isReady = isValue;
    this.value = isValue ? source : undefined;
  }

  /**
   * Reports whether the dependency is registered for a token, which may be its own token or a class of its value.
   *
   * @param token The token.
   * @param type The token, if it is a class. Determining this takes ten times as long as all comparisons.
   */
  provides(token: unknown, type: Class<object> | undefined): boolean {
    if (token === undefined) return false;
    if (token === this.token || token === this.source) return true;
    if (type === undefined) return false;
    if (this.#type !== undefined) return isSubclass(this.#type, type);
    return this.token === undefined && this.isReady && isInstance(this.value, type);
  }

  label(): string {
    return labelOf(this.token ?? this.source ?? this.value);
  }
}

/**
 * Creates the record of a dependency that was passed to `Register`.
 *
 * @param home The place where it is registered.
 * @param dependency An instance, a class, a provider function, or a registration such as {@linkcode Provide} returns.
 */
export function toBinding(home: Home, dependency: unknown): Binding {
  const terms = termsOf(dependency);
  const { source, isValue } = terms;
  if (isClass(source) && !isValue && source.length > 0) {
    throw new FrameworkError(
      "FW_DEPENDENCY",
      `Cannot register the class "${source.name}": ${takesArguments}`,
    );
  }
  if (terms.token === undefined && isValue && !hasClass(source)) {
    throw new FrameworkError(
      "FW_DEPENDENCY",
      `Cannot register "${typeof source === "object" && source !== null ? "a plain object" : String(source)}": ` +
        "it has no class to serve as its token; register mvc.Provide(token, value)",
    );
  }
  return new Binding(home, terms);
}

/**
 * Returns the token of a dependency. A class is its own token. A function can specify the class or token of its value
 * in `Provides`.
 */
function tokenOf(source: unknown): unknown {
  if (isClass(source)) return source;
  return isProvider(source) && "Provides" in source ? source.Provides : undefined;
}

/** Returns the lifetime implied by the parameters of a function. Classes are singletons by default. */
function lifetimeOf(source: unknown, first: FirstParameter): Lifetime {
  if (first === "unknown") {
    throw new FrameworkError(
      "FW_DEPENDENCY",
      `Cannot register the function "${labelOf(source)}": its parameters do not show how often it should run; ` +
        "register mvc.Singleton(fn) for one value for all requests or mvc.PerRequest(fn) for one per request",
    );
  }
  return first === "context" ? "request" : "singleton";
}

type FirstParameter = "context" | "dependency" | "nothing" | "unknown";

/** Returns the kind of the first parameter of a function. */
function firstOf(provide: Provider<unknown>): FirstParameter {
  const parameters = parametersOf(provide);
  // For a bound or native function, only the number of required arguments is known.
  if (parameters === undefined) return provide.length > 0 ? "context" : "unknown";
  const [first] = parameters;
  if (first === undefined) return "nothing";
  if (first.form === "rest") return "unknown";
  return first.fallback === undefined ? "context" : "dependency";
}

/** Reports whether a value has a class that can be its token. */
function hasClass(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype !== Object.prototype && prototype !== Array.prototype && prototype !== null;
}
