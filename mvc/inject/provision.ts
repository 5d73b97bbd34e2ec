/**
 * Registrations with an explicit token, lifetime or order.
 *
 * @module
 */

import { FrameworkError } from "../../src/base/errors/errors.ts";
import {
  type AnyToken,
  type ClosedClass,
  isClass,
  isProvider,
  isToken,
  labelOf,
  type NotAFunction,
  type Provider,
} from "../reflect/token.ts";

/** A registration for `Register`, created by {@linkcode Provide}, {@linkcode PerRequest} and similar functions. */
export interface Provision<T = unknown> {
  /** The type of the dependency. Used only by the compiler. */
  readonly "~type"?: T;
  /** A marker that lets the compiler distinguish registrations from other values. */
  readonly IsProvision: true;
}

/**
 * The lifetime of a value: until shutdown, until the end of the request, or only for the place where it is injected.
 */
export type Lifetime = "singleton" | "request" | "transient";

/** The properties of a registration. */
export interface Terms {
  /** The token, if one was specified. */
  readonly token: { readonly is: unknown } | undefined;
  /** The value, or the function or class that creates it. */
  readonly source: unknown;
  /** Whether the source is the value itself. */
  readonly isValue: boolean;
  /** The lifetime, if one was specified. */
  readonly lifetime: Lifetime | undefined;
  /** Whether the value is disposed of at the end of the request. */
  readonly isOwned: boolean;
  /** Whether the dependency can be created without waiting for the previous one. */
  readonly isParallel: boolean;
}

/** Returns the properties of a value that was passed to `Register`. */
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
  const isValue = !isClass(source) && !isProvider(source);
  return { token: undefined, source, isValue, lifetime: undefined, isOwned: false, isParallel: false };
}

/**
 * The type itself, or an error message if the type is a function or a class, because it would be treated as a provider.
 */
export type PlainValue<T> = T extends ((...args: never[]) => unknown) | (abstract new (...args: never[]) => unknown)
  ? "A function or a class would be called to create the value: pass mvc.Value(value) instead"
  : T;

/**
 * Registers a value, a function or a class for a token.
 *
 * @param token A class, a token or a provider function.
 * @param value The value, a function that creates it, a class, or a registration returned by {@linkcode Singleton},
 * {@linkcode PerRequest}, {@linkcode Parallel} or {@linkcode Value}. A function `() => value` is called once, and
 * `(ctx) => value` is called once per request. Functions can be asynchronous. A class is constructed once. If the value
 * itself is a function or a class, pass `mvc.Value(value)`.
 * @returns A registration for `Register` and `Dependencies().Add`.
 *
 * @example Register a class for its interface, and a user per request
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
 */
export function Provide<T>(
  token: AnyToken<T>,
  value: PlainValue<NoInfer<T>> | Provider<NoInfer<T>> | (new () => NoInfer<T>) | Provision<NoInfer<T>>,
): Provision<T>;
/**
 * Registers a value or a function for a class with a private constructor.
 *
 * @param token The class.
 * @param value The value, a function that creates it, or a registration, for example from {@linkcode PerRequest}.
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
 * Registers a value without calling it, even if it is a function or a class.
 *
 * @param value The value.
 * @returns A registration for `Register` and {@linkcode Provide}.
 *
 * @example Register a tag function, such as the one from postgres.js
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
 */
export function Value<T>(value: T): Provision<T> {
  return new Declared({ ...plainTerms(value), isValue: true });
}

/**
 * Registers a class or a function that creates one value for all requests. The value is disposed of at shutdown.
 *
 * Registered classes and functions without arguments are singletons by default. With `Handle(mvc.Singleton(Class))`,
 * all requests share a single instance, whose fields can be injected.
 *
 * @param source The class, or a function that is called without arguments.
 * @returns A registration for `Register` and `Handle`. The class or function itself is the token.
 *
 * @example Share a controller between all requests
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
 */
export function Singleton<T extends object>(source: new () => T): Provision<T>;
/**
 * Registers a function that creates one value for all requests.
 *
 * @param source The function. It is called without arguments.
 * @returns A registration for `Register`. The function itself is the token.
 */
export function Singleton<T>(source: (...args: never[]) => T | Promise<T>): Provision<T>;
export function Singleton(source: unknown): Provision<unknown> {
  return new Declared({ ...creatorTerms("mvc.Singleton", source), lifetime: "singleton" });
}

/**
 * Registers a class or a function that creates a value per request if it is needed. If the value has
 * `Symbol.asyncDispose` or `Symbol.dispose`, it is disposed of when the response has been sent or the request has
 * failed.
 *
 * A function `(ctx) => T` that is registered without `PerRequest` also runs once per request, but its value is not
 * disposed of, because it may be shared. For example, it may be one of several connection pools.
 *
 * @param source The class, or a function that is called with the request context.
 * @returns A registration for `Register` and {@linkcode Provide}. The class or function itself is the token.
 *
 * @example Open a connection per request
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
 */
export function PerRequest<T>(source: ((...args: never[]) => T | Promise<T>) | (new () => T)): Provision<T> {
  return new Declared({ ...creatorTerms("mvc.PerRequest", source), lifetime: "request", isOwned: true });
}

/**
 * Registers a function that can run in parallel with adjacent parallel dependencies. Its value must not depend on the
 * dependencies before it or guard the ones after it. Other dependencies are created one after another, in the order
 * they are injected.
 *
 * @param source The function, or a registration returned by {@linkcode PerRequest} or {@linkcode Singleton}.
 * @returns A registration for `Register`. The function itself is the token.
 */
export function Parallel<T>(source: Provider<T> | Provision<T>): Provision<T> {
  return new Declared({ ...creatorTerms("mvc.Parallel", source), isParallel: true });
}

function creatorTerms(by: string, source: unknown): Terms {
  const terms = termsOf(source);
  if (!terms.isValue) return terms;
  throw new FrameworkError(
    "FW_DEPENDENCY",
    `Cannot use "${labelOf(terms.source)}" with ${by}: it is not a function or a class`,
  );
}
