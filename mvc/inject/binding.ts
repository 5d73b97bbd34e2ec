/**
 * Registered dependencies, each as one record.
 *
 * @module
 */

import { FrameworkError } from "../../src/base/errors.ts";
import type { Context } from "../../src/context/context.ts";
import { readSignature } from "../reflect/signature.ts";
import { type Class, isClass, isInstance, isSubclass } from "../reflect/class.ts";
import { type AnyToken, isProvider, isToken, labelOf, type Provider } from "./token.ts";

/** A place for a value that may have to be waited for. */
export interface Slot {
  value: unknown;
  isReady: boolean;
  /** Settles when the value is there. */
  pending: Promise<void> | undefined;
  /** True while the value is being made: asking for it then is asking in a circle. */
  isRunning: boolean;
}

/** Where a dependency finds those that it asks for itself. */
export interface Home {
  /** Finds what a token asks for; `undefined` when only a dependency that is still being created can tell. */
  lookup(token: unknown): Binding | undefined;
  /** The dependencies whose class is not known before they are created. */
  undecided(): Binding[];
}

/** One dependency, and its value if all requests share it. */
export class Binding implements Slot {
  /** What it is asked for by; `undefined` for an instance or a function that was registered as it is. */
  readonly token: unknown;
  /** Makes the value; `undefined` when the value was registered. */
  readonly provide: ((ctx: Context) => unknown) | undefined;
  /** True when every request has a value of its own. */
  readonly isPerRequest: boolean;
  /** True for what is at hand anyway and need not be remembered. */
  readonly isTransient: boolean;
  value: unknown;
  isReady: boolean;
  pending: Promise<void> | undefined = undefined;
  /** True while the value is being made: asking for it then is asking in a circle. */
  isRunning = false;
  /** True when the value is known to come as a promise. */
  isAsync: boolean;
  /** Where it was registered first: what it asks for itself is looked up there. */
  home: Home | undefined = undefined;

  constructor(of: { token?: unknown; value?: unknown; provide?: Provider<unknown>; isTransient?: boolean }) {
    const { provide } = of;
    this.token = of.token;
    this.provide = provide;
    this.isPerRequest = provide !== undefined && takesContext(provide);
    this.isTransient = of.isTransient ?? false;
    this.value = of.value;
    this.isReady = provide === undefined;
    this.isAsync = provide?.constructor.name === "AsyncFunction";
  }

  /**
   * Says whether this is what a token asks for: the token itself, or a class of which the value is one.
   *
   * @param token The token.
   */
  answers(token: unknown): boolean {
    if (token === undefined) return false;
    if (token === this.token || token === this.provide) return true;
    if (!isClass(token)) return false;
    if (isClass(this.token)) return isSubclass(this.token, token);
    return this.token === undefined && this.isReady && isInstance(this.value, token);
  }

  /** What it is called in error messages. */
  label(): string {
    return labelOf(this.token ?? this.provide ?? this.value);
  }
}

/** Makes the record of what a provision stands for: a new one for each application that it is registered on. */
let toFreshBinding: (provision: Provision) => Binding;

/** A dependency with the token that it is asked for by: what {@linkcode Provide} makes for `Register`. */
export class Provision {
  readonly #token: unknown;
  readonly #value: unknown;

  /**
   * Made by {@linkcode Provide}.
   *
   * @param token What the dependency is asked for by.
   * @param value The value, or what makes it.
   */
  constructor(token: unknown, value: unknown) {
    this.#token = token;
    this.#value = value;
  }

  static {
    toFreshBinding = (provision) => bind(provision.#token, provision.#value);
  }
}

/**
 * Says what a token stands for, to be registered.
 *
 * @example A class stands for its interface, and every request has its own user
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import * as fw from "@fw/web";
 * import * as mvc from "@fw/web/mvc";
 *
 * abstract class Clock {
 *   abstract now(): string;
 * }
 * class Noon extends Clock {
 *   now() {
 *     return "12:00";
 *   }
 * }
 * const user = mvc.Token<string>("user");
 * class ClockController {
 *   clock = mvc.Inject(Clock);
 *   user = mvc.Inject(user);
 *   Get() {
 *     return `${this.user}, it is ${this.clock.now()}`;
 *   }
 * }
 * const app = fw.New();
 * mvc.New(app)
 *   .Register(mvc.Provide(Clock, Noon), mvc.Provide(user, (ctx: fw.Context) => ctx.GetHeader("x-user")))
 *   .Handle(ClockController);
 *
 * const request = new Request("http://localhost/", { headers: { "x-user": "Ada" } });
 * assertEquals(await (await app.fetch(request)).text(), "Ada, it is 12:00");
 * ```
 *
 * @param token A class, a token or a provider function.
 * @param value The value; a function that makes it, `() => value` once or `(ctx) => value` for every request, either of
 * them asynchronous if need be; or a class, which is made once. A value that is itself a function is given by a
 * function that returns it.
 * @returns What `Register` and `Dependencies().Add` take.
 */
export function Provide<T>(token: AnyToken<T>, value: NoInfer<T> | Provider<NoInfer<T>> | (new () => T)): Provision {
  if (!isClass(token) && !isToken(token) && !isProvider(token)) {
    throw new FrameworkError(
      "FW_DEPENDENCY",
      `Cannot provide for "${labelOf(token)}": it is no class, token or function`,
    );
  }
  if (isClass(value)) checkConstructor(value);
  return new Provision(token, value);
}

/**
 * Makes the record of a dependency that was passed to `Register`.
 *
 * @param dependency An instance, a class, a provider function, or what {@linkcode Provide} made.
 */
export function toBinding(dependency: unknown): Binding {
  if (dependency instanceof Provision) return toFreshBinding(dependency);
  if (isClass(dependency)) {
    checkConstructor(dependency);
    return bind(dependency, dependency);
  }
  if (isProvider(dependency)) return new Binding({ token: providedBy(dependency), provide: dependency });
  if (typeof dependency !== "object" || dependency === null || isPlain(dependency)) {
    throw new FrameworkError(
      "FW_DEPENDENCY",
      `Cannot register "${isPlain(dependency) ? "a plain object" : String(dependency)}": ` +
        "it has no class to be found by, so register mvc.Provide(token, value)",
    );
  }
  return new Binding({ value: dependency });
}

function bind(token: unknown, value: unknown): Binding {
  if (isClass(value)) return new Binding({ token, provide: () => Reflect.construct(value, []) });
  return isProvider(value) ? new Binding({ token, provide: value }) : new Binding({ token, value });
}

/** A function may carry in `Provides` the class or token of what it makes, and is found by that too. */
function providedBy(provide: Provider<unknown>): unknown {
  return "Provides" in provide ? provide.Provides : undefined;
}

function checkConstructor(type: Class<object>): void {
  if (type.length === 0) return;
  throw new FrameworkError(
    "FW_DEPENDENCY",
    `Cannot register the class "${type.name}": its constructor gets no arguments, so give them default values`,
  );
}

/** Counts parameters with default values too, which `length` does not; of bound functions only `length` is known. */
function takesContext(provide: Provider<unknown>): boolean {
  const parameters = readSignature(Function.prototype.toString.call(provide));
  if (parameters === undefined) return provide.length > 0;
  const [first] = parameters;
  // A first parameter with a default value of its own is a dependency of the provider, not the Context.
  return first !== undefined && first.fallback === undefined;
}

function isPlain(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === Array.prototype || prototype === null;
}
