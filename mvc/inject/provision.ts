/**
 * What `Register` takes beside instances, classes and functions: dependencies of which more is said.
 *
 * @module
 */

import { FrameworkError } from "../../src/base/errors.ts";
import { type ClosedClass, isClass, type NotAFunction } from "../reflect/class.ts";
import { type AnyToken, isProvider, isToken, labelOf, type Provider } from "../reflect/token.ts";

/** A dependency of which something is said, for `Register`; created by {@linkcode Provide} and its kin. */
export interface Provision<T = unknown> {
  /** Exists in the type only: what the dependency is. */
  readonly Type?: T;
  /** The mark by which the compiler tells it from other values. */
  readonly IsProvision: true;
}

/** What is said of a dependency. */
export interface Terms {
  /** What it is asked for by, if that was said. */
  readonly token: { readonly is: unknown } | undefined;
  /** The value, or the function or class that creates it. */
  readonly source: unknown;
  /** How often it is created, if that was said. */
  readonly lifetime: "shared" | "request" | undefined;
  /** True when its value is disposed of at the end of the request. */
  readonly isScoped: boolean;
  /** True when it need not wait for the dependency before it. */
  readonly isParallel: boolean;
}

/** What a value that was passed to `Register` says of itself. */
export let termsOf: (dependency: unknown) => Terms;

class Declared implements Provision {
  readonly #terms: Terms;

  constructor(terms: Terms) {
    this.#terms = terms;
  }

  get IsProvision(): true {
    return true;
  }

  static {
    termsOf = (dependency) => dependency instanceof Declared ? dependency.#terms : plainTerms(dependency);
  }
}

function plainTerms(source: unknown): Terms {
  return { token: undefined, source, lifetime: undefined, isScoped: false, isParallel: false };
}

/**
 * Says what a token stands for, to be registered.
 *
 * @example A class stands for its interface, and every request has its own user
 * ```ts
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
 * await (await app.fetch(request)).text(); // → "Ada, it is 12:00"
 * ```
 *
 * @param token A class, a token or a provider function.
 * @param value The value; a function that creates it, `() => value` once or `(ctx) => value` for every request, either
 * of them asynchronous if need be; a class, which is constructed once; or what {@linkcode Once},
 * {@linkcode PerRequest}, {@linkcode Scoped} or {@linkcode Parallel} returns. A value that is itself a function is
 * given by a function that returns it.
 * @returns What `Register` and `Dependencies().Add` take.
 */
export function Provide<T>(
  token: AnyToken<T>,
  value: NoInfer<T> | Provider<NoInfer<T>> | (new () => T) | Provision<NoInfer<T>>,
): Provision<T>;
/**
 * Says what a class with a private constructor stands for, to be registered.
 *
 * @param token The class.
 * @param value The value, a function that creates it, or what {@linkcode Once} and its like return.
 * @returns What `Register` and `Dependencies().Add` take.
 */
export function Provide<C extends ClosedClass<unknown>>(
  token: C & NotAFunction<C>,
  value: C["prototype"] | Provider<C["prototype"]> | Provision<C["prototype"]>,
): Provision<C["prototype"]>;
export function Provide(token: unknown, value: unknown): Provision<unknown> {
  if (!isClass(token) && !isToken(token) && !isProvider(token)) {
    throw new FrameworkError(
      "FW_DEPENDENCY",
      `Cannot provide for "${labelOf(token)}": it is not a class, a token or a function`,
    );
  }
  return new Declared({ ...termsOf(value), token: { is: token } });
}

/**
 * Says that a function creates one value for all requests. Needed where its parameters do not tell: a function that was
 * wrapped in `(...args) =>` or bound.
 *
 * @param provider The function; it is called without arguments.
 * @returns What `Register` takes; the function itself is what the value is asked for by.
 */
export function Once<T>(provider: (...args: never[]) => T | Promise<T>): Provision<T> {
  return new Declared({ ...functionTerms("mvc.Once", provider), lifetime: "shared" });
}

/**
 * Says that a function creates a value for every request that asks for it. Needed where its parameters do not tell: a
 * function that was wrapped in `(...args) =>` or bound.
 *
 * @param provider The function; it is called with the request's Context.
 * @returns What `Register` takes; the function itself is what the value is asked for by.
 */
export function PerRequest<T>(provider: (...args: never[]) => T | Promise<T>): Provision<T> {
  return new Declared({ ...functionTerms("mvc.PerRequest", provider), lifetime: "request" });
}

/**
 * Says that a value is created for every request that asks for it, and disposed of when the response has left, however
 * the request ended. Without it, what a function creates for a request is only forgotten, since it may be shared.
 *
 * @example A connection for each request
 * ```ts
 * import * as fw from "@fw/web";
 * import * as mvc from "@fw/web/mvc";
 *
 * let open = 0;
 * // A function, since a constructor may run more often than once per request and must have no side effects.
 * function connect(_ctx: fw.Context) {
 *   const id = ++open;
 *   return { id, [Symbol.dispose]: () => void open-- };
 * }
 * class ConnectionController {
 *   connection = mvc.Inject(connect);
 *   Get() {
 *     return { id: this.connection.id };
 *   }
 * }
 * const app = fw.New();
 * mvc.New(app).Register(mvc.Scoped(connect)).Handle(ConnectionController);
 *
 * await (await app.fetch(new Request("http://localhost/"))).json(); // → { id: 1 }
 * open; // → 0
 * ```
 *
 * @param provider The function that creates it, or its class. The value has `Symbol.asyncDispose` or `Symbol.dispose`.
 * @returns What `Register` takes; the function or class itself is what the value is asked for by.
 */
export function Scoped<T>(
  provider: ((...args: never[]) => T | Promise<T>) | (new () => T) | Provision<T>,
): Provision<T> {
  const terms = termsOf(provider);
  if (!isProvider(terms.source) && !isClass(terms.source)) throw unfit("mvc.Scoped", terms.source);
  if (terms.lifetime === "shared") {
    throw new FrameworkError(
      "FW_DEPENDENCY",
      `Cannot use "${labelOf(terms.source)}" with mvc.Scoped: it was said to be created once for all requests`,
    );
  }
  return new Declared({ ...terms, lifetime: "request", isScoped: true });
}

/**
 * Says that what a function creates depends on no dependency that is asked for before it and guards none after it.
 * Neighbours of this kind are then created at the same time; others are created one after another, in the order in
 * which they are asked for.
 *
 * @param provider The function, or what {@linkcode PerRequest} or {@linkcode Scoped} returns.
 * @returns What `Register` takes; the function itself is what the value is asked for by.
 */
export function Parallel<T>(provider: Provider<T> | Provision<T>): Provision<T> {
  const terms = termsOf(provider);
  if (!isProvider(terms.source)) throw unfit("mvc.Parallel", terms.source);
  return new Declared({ ...terms, isParallel: true });
}

/**
 * Says that fw constructs a class once, for all requests: for `Handle` in place of an instance, so that its fields can
 * be injected. For `Register` it is the same as the class itself.
 *
 * @example A controller that all requests share
 * ```ts
 * import * as fw from "@fw/web";
 * import * as mvc from "@fw/web/mvc";
 *
 * const name = mvc.Token<string>("name");
 * class VisitController {
 *   name = mvc.Inject(name);
 *   visits = 0;
 *   Get() {
 *     return `${this.name} ${++this.visits}`;
 *   }
 * }
 * const app = fw.New();
 * mvc.New(app).Register(mvc.Provide(name, "visit")).Handle(mvc.Singleton(VisitController));
 *
 * await app.fetch(new Request("http://localhost/"));
 * await (await app.fetch(new Request("http://localhost/"))).text(); // → "visit 2"
 * ```
 *
 * @param type The class.
 * @returns What `Handle` and `Register` take.
 */
export function Singleton<T extends object>(type: new () => T): Provision<T> {
  if (!isClass(type)) throw unfit("mvc.Singleton", type);
  return new Declared({ ...plainTerms(type), lifetime: "shared" });
}

function functionTerms(by: string, provider: unknown): Terms {
  if (!isProvider(provider)) throw unfit(by, provider);
  return plainTerms(provider);
}

function unfit(by: string, source: unknown): FrameworkError {
  return new FrameworkError("FW_DEPENDENCY", `Cannot use "${labelOf(source)}" with ${by}: it is not a ${fit[by]}`);
}

const fit: Readonly<Record<string, string>> = {
  "mvc.Once": "function",
  "mvc.PerRequest": "function",
  "mvc.Parallel": "function",
  "mvc.Scoped": "function or a class",
  "mvc.Singleton": "class",
};
