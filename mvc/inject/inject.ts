/**
 * `mvc.Inject` and the injector that it uses.
 *
 * An injector is active only while the program's code runs synchronously, never across an `await`, so two requests
 * never see each other's values.
 *
 * @module
 */

import type { From } from "../reflect/input_type.ts";
import type { Context } from "../../src/core/context/context.ts";
import type { Key } from "../../src/core/exchange/values.ts";
import { constantError, FrameworkError } from "../../src/base/errors/errors.ts";
import {
  type AnyToken,
  type Class,
  type ClosedClass,
  labelOf,
  type NotAFunction,
  type Provider,
  type Token,
} from "../reflect/token.ts";
import { recognize } from "./default_value.ts";

/**
 * Returns a dependency. Call it in a field initializer, in a constructor, or as the default value of an argument of a
 * constructor, method or provider. Dependencies that are created synchronously can also be injected in a method body
 * before the first `await`.
 *
 * Dependencies are created one after another before the constructor or method that needs them, in the order they are
 * written. Promises are awaited. If a dependency fails or stops the request, no further dependencies are created and
 * the method is not called. Constructors and methods run once per request.
 *
 * Missing dependencies are reported when the application is built. For arguments of methods and functions, this
 * requires the default value to be written as `mvc.Inject(...)`. A call under another name could be any function, and
 * evaluating it could run the method's body. Such a dependency is created when the method is called and must not be
 * asynchronous. The same applies to conditional `Inject` calls. The `inject-name` rule of `@fw/web/lint` reports
 * imports under other names.
 *
 * @param token A class, a token, a registered provider function, or the key of a value in `ctx.Values()`.
 * @returns The dependency.
 * @throws {FrameworkError} If called after an `await`, in a callback, at module level, or in an instance that fw did
 * not construct, or if nothing is registered for the token.
 *
 * @example Inject into a field and an argument
 * ```ts
 * import * as fw from "@fw/web";
 * import * as mvc from "@fw/web/mvc";
 *
 * class UserService {
 *   find(id: bigint) {
 *     return { id, name: "Ada" };
 *   }
 * }
 * function userAgent(ctx: fw.Context) {
 *   return ctx.GetHeader("user-agent");
 * }
 * class UserController {
 *   users = mvc.Inject(UserService);
 *   GetBy(id = 0n, agent = mvc.Inject(userAgent)) {
 *     return { ...this.users.find(id), agent };
 *   }
 * }
 * const app = fw.New();
 * mvc.New(app.Party("/users")).Register(new UserService(), userAgent).Handle(UserController);
 *
 * const request = new Request("http://localhost/users/1", { headers: { "user-agent": "docs" } });
 * await (await app.fetch(request)).json(); // → { id: 1, name: "Ada", agent: "docs" }
 * ```
 */
export function Inject<T>(token: Class<T>): T;
/**
 * Returns the dependency that is registered for a token.
 *
 * @param token The token.
 * @returns The dependency.
 */
export function Inject<T>(token: Token<T>): T | From<"Inject", unknown>;
/**
 * Returns a value of the request, such as one that an extension provides.
 *
 * @param key The key of `ctx.Values()`.
 * @returns The value.
 * @throws {FrameworkError} If the value is not set.
 */
export function Inject<T>(key: Key<T>): NonNullable<T> | From<"Inject", unknown>;
/**
 * Returns the value created by a registered provider function.
 *
 * @param token The function.
 * @returns The value. If the function returns a promise, this is the resolved value.
 */
export function Inject<T>(token: Provider<T>): T | From<"Inject", unknown>;
/**
 * Returns an instance of a class with a private constructor.
 *
 * @param token The class.
 * @returns The dependency.
 */
export function Inject<C extends ClosedClass<unknown>>(token: C & NotAFunction<C>): C["prototype"];
export function Inject(token: AnyToken<unknown> | ClosedClass<object> | Key<unknown>): unknown {
  return ask(token);
}

/**
 * Returns a dependency, or `undefined` if it is not registered. Otherwise works like {@linkcode Inject}.
 *
 * @param token A class, a token or a provider function.
 * @returns The dependency, or `undefined` if nothing is registered for the token.
 *
 * @example Inject an optional cache
 * ```ts
 * import * as fw from "@fw/web";
 * import * as mvc from "@fw/web/mvc";
 *
 * class Cache {
 *   readonly size = 0;
 * }
 * class HomeController {
 *   cache = mvc.InjectOptional(Cache);
 *   Get() {
 *     return this.cache === undefined ? "no cache" : `${this.cache.size} entries`;
 *   }
 * }
 * const app = fw.New();
 * mvc.New(app).Handle(HomeController);
 *
 * await (await app.fetch(new Request("http://localhost/"))).text(); // → "no cache"
 * ```
 */
export function InjectOptional<T>(token: Class<T>): T | undefined;
/**
 * Returns the dependency that is registered for a token, if there is one.
 *
 * @param token The token.
 * @returns The dependency, or `undefined` if nothing is registered for the token.
 */
export function InjectOptional<T>(token: Token<T>): T | undefined | From<"Inject", unknown>;
/**
 * Returns a value of the request, such as one that an extension provides, if it is set.
 *
 * @param key The key of `ctx.Values()`.
 * @returns The value, or `undefined` if it is not set.
 */
export function InjectOptional<T>(key: Key<T>): T | undefined | From<"Inject", unknown>;
/**
 * Returns the value created by a provider function, if the function is registered.
 *
 * @param token The function.
 * @returns The value, or `undefined` if the function is not registered.
 */
export function InjectOptional<T>(token: Provider<T>): T | undefined | From<"Inject", unknown>;
/**
 * Returns an instance of a class with a private constructor, if one is registered.
 *
 * @param token The class.
 * @returns The dependency, or `undefined` if nothing is registered for the class.
 */
export function InjectOptional<C extends ClosedClass<unknown>>(token: C & NotAFunction<C>): C["prototype"] | undefined;
export function InjectOptional(token: AnyToken<unknown> | ClosedClass<object> | Key<unknown>): unknown {
  return ask(token, true);
}

/**
 * Stops the request. Call it in a dependency that has responded through `ctx`. No further dependencies are created, and
 * the method is not called.
 *
 * A dependency can also throw a `Response`, which is then sent.
 *
 * @param ctx The request context.
 * @returns Never, because it always throws.
 *
 * @example Redirect in a guard
 * ```ts
 * import * as fw from "@fw/web";
 * import * as mvc from "@fw/web/mvc";
 *
 * function user(ctx: fw.Context): string {
 *   const name = ctx.GetHeader("x-user");
 *   if (name !== "") return name;
 *   ctx.Redirect("/login");
 *   return mvc.Stop(ctx);
 * }
 * class HomeController {
 *   Get(name = mvc.Inject(user)) {
 *     return `Hello ${name}`;
 *   }
 * }
 * const app = fw.New();
 * mvc.New(app).Register(user).Handle(HomeController);
 *
 * const response = await app.fetch(new Request("http://localhost/"));
 * [response.status, response.headers.get("location")]; // → [302, "/login"]
 * ```
 */
export function Stop(ctx: Context): never {
  ctx.StopExecution();
  throw stopped;
}

/** Resolves dependencies while a constructor, method or provider runs. */
export interface Injector {
  /** Returns the value for a token, or `undefined` if the token is optional and nothing is registered for it. */
  resolve(token: unknown, isOptional: boolean): unknown;
}

/** Thrown instead of a value after a dependency has stopped the work, because nothing may run after that. */
export const stopped: FrameworkError = constantError(
  "FW_DEPENDENCY",
  "Cannot continue: a dependency has stopped the request",
);

let current: Injector | undefined = undefined;

/**
 * Activates an injector.
 *
 * @param injector The injector.
 * @returns The previous injector, to be restored in a `finally` block.
 */
export function enter(injector: Injector | undefined): Injector | undefined {
  const outer = current;
  current = injector;
  return outer;
}

/**
 * Resolves a token with the active injector.
 *
 * @param token The token.
 * @param isOptional Whether to return `undefined` if nothing is registered for the token.
 * @returns The value.
 */
export function ask(token: unknown, isOptional = false): unknown {
  if (current === undefined) throw outside(token);
  return current.resolve(token, isOptional);
}

function outside(token: unknown): FrameworkError {
  return new FrameworkError(
    "FW_DEPENDENCY",
    `Cannot inject "${
      labelOf(token)
    }": this code runs after an await, in a callback, at module level or in the constructor of ` +
      "a class that the program constructs itself; inject in a field, a constructor or a default argument, and let fw " +
      "construct the class, with Register(Class) or Handle(mvc.Singleton(Class))",
  );
}

recognize(Inject, "Inject");
recognize(InjectOptional, "InjectOptional");
