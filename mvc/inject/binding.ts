/**
 * Registered dependencies, each as one record.
 *
 * @module
 */

import { FrameworkError } from "../../src/base/errors.ts";
import { type Class, isClass, isInstance, isSubclass } from "../reflect/class.ts";
import { parametersOf } from "../reflect/function_signature.ts";
import { isProvider, labelOf, type Provider } from "../reflect/token.ts";
import type { Lifetimes } from "./lifetimes.ts";
import { type Terms, termsOf } from "./provision.ts";

/** Where a dependency finds those that it asks for itself. */
export interface Home {
  readonly lifetimes: Lifetimes;
  /** Notes an input that is known to be asked for. */
  declare(token: unknown): void;
  /** Finds what a token asks for; `undefined` when only a dependency that is still being created can tell. */
  lookup(token: unknown): Binding | undefined;
  /** The dependencies whose class is not known before they are created. */
  undecided(): Binding[];
}

/** One thing that a constructor or a call asks for. */
export interface Need {
  readonly token: unknown;
  /** What is registered for it; `undefined` as long as that is not known. */
  binding: Binding | undefined;
  /** The argument that it is; -1 where it is not an argument by itself. */
  readonly argument: number;
}

/** What is known, before it runs, of what a constructor or a call asks for. */
// A class, so that all have one shape: they are looked into whenever something is asked for.
export class Needs {
  /** What it asks for first, in order and in every run. */
  readonly ahead: readonly Need[];
  /** What it asks for besides in its default values, after something that is not known. */
  readonly behind: readonly Need[];
  /**
   * How often its default values may ask while it runs, if some of them may ask for what is not known; else none. What
   * is asked for after that is asked for in the body.
   */
  readonly patience: number;

  constructor(ahead: readonly Need[], behind: readonly Need[] = nothing, patience = 0) {
    this.ahead = ahead;
    this.behind = behind;
    this.patience = patience;
  }
}

const nothing: readonly Need[] = [];

/** Nothing is known to be asked for. */
export const noNeeds: Needs = new Needs(nothing);

/** Something that asks for dependencies while it runs. */
export interface Asker {
  readonly home: Home;
  readonly needs: Needs;
  /** True where a run may be repeated: of a constructor, never of a body. */
  readonly isRepeatable: boolean;
  /** What it is called in error messages. */
  label(): string;
}

/** One dependency, and its value if all requests share it. */
export class Binding implements Asker {
  /** What it is asked for by; `undefined` for an instance or a function that was registered as it is. */
  readonly token: unknown;
  /** The function or class that creates the value; `undefined` when the value was registered. */
  readonly source: Provider<unknown> | Class<object> | undefined;
  /** Creates the value. */
  readonly provide: (...args: unknown[]) => unknown;
  /** True when every request has a value of its own. */
  readonly isPerRequest: boolean;
  /** True for what every request has anyway and need not be remembered. */
  readonly isTransient: boolean;
  readonly isScoped: boolean;
  readonly isParallel: boolean;
  /** True for a class, whose constructor may run more than once. */
  readonly isRepeatable: boolean;
  /** True when the Context is its first argument. */
  readonly takesContext: boolean;
  /** Where it was registered: what it asks for itself is looked up there. */
  readonly home: Home;
  /** Where its value is among the values of a request. */
  readonly place: number;
  needs: Needs = noNeeds;
  /** True once {@linkcode needs} is known. */
  isChecked = false;
  /** True for a function that is called with the Context alone, and whose value is only kept. */
  isPlain = false;
  /** True when the value is known to come as a promise. */
  isAsync: boolean;
  /** True when the value is there, which all requests share. */
  isReady: boolean;
  value: unknown;
  /** The shared value while it takes time. */
  slot: Slot | undefined = undefined;
  /** True while the shared value is being created: asking for it then is asking in a circle. */
  isRunning = false;

  constructor(home: Home, terms: Terms, isTransient = false) {
    const { source } = terms;
    const isValue = !isClass(source) && !isProvider(source);
    this.home = home;
    this.token = terms.token === undefined ? tokenOf(source) : terms.token.is;
    this.source = isValue ? undefined : source;
    this.provide = isClass(source) ? () => Reflect.construct(source, []) : source as () => unknown;
    const first = isProvider(source) ? firstOf(source) : "nothing";
    this.isPerRequest = !isValue && lifetimeOf(source, first, terms.lifetime) === "request";
    this.isTransient = isTransient;
    this.isScoped = terms.isScoped;
    this.isParallel = terms.isParallel;
    this.isRepeatable = isClass(source);
    this.takesContext = this.isPerRequest && isProvider(source) && first !== "dependency";
    this.place = this.isPerRequest && !isTransient ? home.lifetimes.newPlace() : -1;
    this.isAsync = isProvider(source) && source.constructor.name === "AsyncFunction";
    this.isReady = isValue;
    this.value = isValue ? source : undefined;
  }

  /**
   * Reports whether this is what a token asks for: the token itself, or a class of which the value is one.
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

  /** Keeps what is known of what it asks for. */
  learn(needs: Needs): void {
    this.needs = needs;
    this.isChecked = true;
    this.isPlain = this.takesContext && !this.isTransient && !this.isScoped && needs.ahead.length === 0 &&
      needs.patience === 0;
    // What waits for something that takes time takes time itself.
    if (needs.ahead.some((need) => need.binding?.isAsync ?? false)) this.isAsync = true;
  }

  label(): string {
    return labelOf(this.token ?? this.source ?? this.value);
  }
}

/** The place of a value that takes time, has failed, or is `undefined`. */
export class Slot {
  readonly owner: Binding;
  state: "pending" | "ready" | "failed" = "pending";
  /** The value, or what was thrown. */
  value: unknown = undefined;
  /** Settles with the value. */
  promise: PromiseLike<unknown> | undefined = undefined;
  /** True when the value came as a promise. */
  isLate = false;
  /** What has to be there first: by this a circle is found. */
  waitsFor: Slot | undefined = undefined;
  /** True while what creates the value runs. */
  isRunning = false;

  constructor(owner: Binding) {
    this.owner = owner;
  }

  /** Keeps the value. */
  fulfil(value: unknown): void {
    this.state = "ready";
    this.value = value;
  }

  /** Keeps what was thrown. */
  fail(thrown: unknown): void {
    this.state = "failed";
    this.value = thrown;
  }
}

/**
 * Creates the record of a dependency that was passed to `Register`.
 *
 * @param home Where it is registered.
 * @param dependency An instance, a class, a provider function, or what {@linkcode Provide} and its kin return.
 */
export function toBinding(home: Home, dependency: unknown): Binding {
  const terms = termsOf(dependency);
  const { source } = terms;
  if (isClass(source)) checkConstructor(source);
  if (terms.token === undefined && isUnnamed(source)) {
    throw new FrameworkError(
      "FW_DEPENDENCY",
      `Cannot register "${isPlain(source) ? "a plain object" : String(source)}": ` +
        "it has no class to be found by, so register mvc.Provide(token, value)",
    );
  }
  return new Binding(home, terms);
}

/** A class is found by itself; a function may carry in `Provides` the class or token of what it creates. */
function tokenOf(source: unknown): unknown {
  if (isClass(source)) return source;
  return isProvider(source) && "Provides" in source ? source.Provides : undefined;
}

/** How often a class or function runs: as it was said, else as its parameters tell. */
function lifetimeOf(source: unknown, first: FirstParameter, said: Terms["lifetime"]): "shared" | "request" {
  if (said !== undefined) return said;
  if (first === "unknown") {
    throw new FrameworkError(
      "FW_DEPENDENCY",
      `Cannot register the function "${labelOf(source)}": its parameters do not tell how often it is to run; ` +
        "register mvc.Once(fn) for one value of all requests or mvc.PerRequest(fn) for one of each",
    );
  }
  return first === "context" ? "request" : "shared";
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

function isUnnamed(source: unknown): boolean {
  return typeof source !== "function" && (typeof source !== "object" || source === null || isPlain(source));
}

function isPlain(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === Array.prototype || prototype === null;
}

/**
 * Refuses a class whose constructor needs arguments.
 *
 * @param type The class.
 */
function checkConstructor(type: Class<object>): void {
  if (type.length === 0) return;
  throw new FrameworkError(
    "FW_DEPENDENCY",
    `Cannot register the class "${type.name}": its constructor gets no arguments, so give them default values`,
  );
}
