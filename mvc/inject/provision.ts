/**
 * Registrations that say more than an instance, a class or a function does by itself: token, lifetime, order.
 *
 * @module
 */

import { FrameworkError } from "../../src/base/errors.ts";
import { type ClosedClass, isClass, type NotAFunction } from "../reflect/class.ts";
import { type AnyToken, isProvider, isToken, labelOf, type Provider } from "../reflect/token.ts";

/** A registration for `Register`, created by {@linkcode Provide}, {@linkcode PerRequest} and the like. */
export interface Provision<T = unknown> {
  /** The type of the dependency; exists for the compiler only. */
  readonly "~type"?: T;
  /** The mark by which the compiler tells it from other values. */
  readonly IsProvision: true;
}

/** How long a value lives: until shutdown, until the end of a request, or only where it was injected. */
export type Lifetime = "singleton" | "request" | "transient";

/** What is known of a dependency from its registration. */
export interface Terms {
  /** The token, if it was given. */
  readonly token: { readonly is: unknown } | undefined;
  /** The value, or the function or class that creates it. */
  readonly source: unknown;
  /** True if the source is the value even if it is a function or a class. */
  readonly isValue: boolean;
  /** The lifetime, if it was given. */
  readonly lifetime: Lifetime | undefined;
  /** True if the value is disposed of at the end of the request. */
  readonly isOwned: boolean;
  /** True if it need not wait for the dependency before it. */
  readonly isParallel: boolean;
}

/** Returns the terms of a value that was passed to `Register`. */
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
  return { token: undefined, source, isValue: false, lifetime: undefined, isOwned: false, isParallel: false };
}

/** The type itself, and a sentence for a function or class: as a value it would be taken for a provider. */
export type PlainValue<T> = T extends ((...args: never[]) => unknown) | (abstract new (...args: never[]) => unknown)
  ? "A function or a class would be called to create the value: pass mvc.Value(value)"
  : T;

/**
 * Registers a value, a function or a class for a token.
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
 * of them asynchronous if need be; a class, which is constructed once; or a registration that {@linkcode Singleton},
 * {@linkcode PerRequest}, {@linkcode Parallel} or {@linkcode Value} returned. A value that is itself a function or a
 * class is passed as `mvc.Value(value)`.
 * @returns A registration for `Register` and `Dependencies().Add`.
 */
export function Provide<T>(
  token: AnyToken<T>,
  value: PlainValue<NoInfer<T>> | Provider<NoInfer<T>> | (new () => NoInfer<T>) | Provision<NoInfer<T>>,
): Provision<T>;
/**
 * Registers a value or a function for a class with a private constructor.
 *
 * @param token The class.
 * @param value The value, a function that creates it, or a registration such as {@linkcode PerRequest} returns.
 * @returns A registration for `Register` and `Dependencies().Add`.
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
 * Registers a value as it is, also if it is a function or a class.
 *
 * @example A tag function, such as postgres.js returns
 * ```ts
 * import * as fw from "@fw/web";
 * import * as mvc from "@fw/web/mvc";
 *
 * type Sql = (strings: TemplateStringsArray) => string;
 * const sql = mvc.Token<Sql>("sql");
 * const connect = (): Sql => (strings) => strings.join("?");
 * class QueryController {
 *   sql = mvc.Inject(sql);
 *   Get() {
 *     return this.sql`select 1`;
 *   }
 * }
 * const app = fw.New();
 * mvc.New(app).Register(mvc.Provide(sql, mvc.Value(connect()))).Handle(QueryController);
 *
 * await (await app.fetch(new Request("http://localhost/"))).text(); // → "select 1"
 * ```
 *
 * @param value The value.
 * @returns A registration for `Register` and for {@linkcode Provide}.
 */
export function Value<T>(value: T): Provision<T> {
  return new Declared({ ...plainTerms(value), isValue: true });
}

/**
 * Registers a class or a function that creates one value for all requests. The value is disposed of at shutdown. A
 * registered class, and a function without arguments, is a singleton by default. `Handle(mvc.Singleton(Class))` serves
 * all requests with one instance whose fields can be injected.
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
 * @param source The class, or a function that is called without arguments.
 * @returns A registration for `Register` and `Handle`. The class or function itself is the token.
 */
export function Singleton<T extends object>(source: new () => T): Provision<T>;
/**
 * Registers a function that creates one value for all requests.
 *
 * @param source The function; it is called without arguments.
 * @returns A registration for `Register`. The function itself is the token.
 */
export function Singleton<T>(source: (...args: never[]) => T | Promise<T>): Provision<T>;
export function Singleton(source: unknown): Provision<unknown> {
  return new Declared({ ...creatorTerms("mvc.Singleton", source), lifetime: "singleton" });
}

/**
 * Registers a class or a function that creates a value for every request that needs one. The value is disposed of when
 * the response has been sent, however the request ended, if it has `Symbol.asyncDispose` or `Symbol.dispose`.
 *
 * A function `(ctx) => T` that is registered by itself also runs once per request. Its value is not disposed of, since
 * it may be shared, such as one of several connection pools.
 *
 * @example A connection for each request
 * ```ts
 * import * as fw from "@fw/web";
 * import * as mvc from "@fw/web/mvc";
 *
 * let open = 0;
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
 * mvc.New(app).Register(mvc.PerRequest(connect)).Handle(ConnectionController);
 *
 * await (await app.fetch(new Request("http://localhost/"))).json(); // → { id: 1 }
 * open; // → 0
 * ```
 *
 * @param source The class, or a function that is called with the request's Context.
 * @returns A registration for `Register` and {@linkcode Provide}. The class or function itself is the token.
 */
export function PerRequest<T>(source: ((...args: never[]) => T | Promise<T>) | (new () => T)): Provision<T> {
  return new Declared({ ...creatorTerms("mvc.PerRequest", source), lifetime: "request", isOwned: true });
}

/**
 * Registers a function whose value depends on no dependency that is injected before it and guards none after it.
 * Neighbours of this kind are created at the same time. Other dependencies are created one after another, in the order
 * in which they are injected.
 *
 * @param source The function, or a registration that {@linkcode PerRequest} or {@linkcode Singleton} returned.
 * @returns A registration for `Register`. The function itself is the token.
 */
export function Parallel<T>(source: Provider<T> | Provision<T>): Provision<T> {
  return new Declared({ ...creatorTerms("mvc.Parallel", source), isParallel: true });
}

function creatorTerms(by: string, source: unknown): Terms {
  const terms = termsOf(source);
  if (!terms.isValue && (isProvider(terms.source) || isClass(terms.source))) return terms;
  throw new FrameworkError(
    "FW_DEPENDENCY",
    `Cannot use "${labelOf(terms.source)}" with ${by}: it is not a function or a class`,
  );
}
