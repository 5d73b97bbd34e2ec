/**
 * `mvc.Inject` and the injector that it asks.
 *
 * An injector is in force only while code of the program runs synchronously. None is in force across an `await`, so two
 * requests never see each other's values.
 *
 * @module
 */

import { constantError, FrameworkError } from "../../src/base/errors.ts";
import type { Context } from "../../src/context/context.ts";
import type { Class, ClosedClass, NotAFunction } from "../reflect/class.ts";
import { type AnyToken, labelOf, type Provider, type Token } from "../reflect/token.ts";
import { recognise } from "./default_value.ts";

/**
 * Returns a dependency. Call it in a field, in a constructor, or as the default value of an argument of a constructor,
 * a method or a provider. A dependency that is created synchronously can also be injected in a body before its first
 * `await`. Anywhere else `Inject` throws: after an `await`, in a callback, at module level, and in an instance that fw
 * did not construct.
 *
 * Dependencies are created before the constructor or method that needs them, in the order in which they are written,
 * one after another. Once one of them has failed or has stopped the request, no later one is created and the method is
 * not called. Promises are awaited. Constructors and bodies run once per request.
 *
 * Missing dependencies are reported when the application is built. In the default value of a method's or a function's
 * argument this requires the call to be written as `mvc.Inject(...)`: a call under another name may be of any function,
 * and evaluating it could run the method's body. Such a dependency is created when the method is called, and it must
 * not be asynchronous. The same applies to an `Inject` that is only reached under a condition. The rule `inject-name`
 * of `@fw/web/lint` reports imports under other names.
 *
 * @example A field and an argument
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
 *
 * @param token A class, a token or a registered provider function.
 * @returns The dependency.
 */
export function Inject<T>(token: Class<T>): T;
/**
 * Returns the dependency that is registered for a token.
 *
 * @param token The token.
 * @returns The dependency.
 */
export function Inject<T>(token: Token<T>): T;
/**
 * Returns the value that a registered function creates.
 *
 * @param token The function.
 * @returns The value. If the function returns a promise, the value that it resolves to.
 */
export function Inject<T>(token: Provider<T>): T;
/**
 * Returns an instance of a class with a private constructor.
 *
 * @param token The class.
 * @returns The dependency.
 */
export function Inject<C extends ClosedClass<unknown>>(token: C & NotAFunction<C>): C["prototype"];
export function Inject(token: AnyToken<unknown> | ClosedClass<object>): unknown {
  return ask(token);
}

/**
 * Returns a dependency if one is registered, as {@linkcode Inject} does, and `undefined` otherwise.
 *
 * @example A cache that may be absent
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
 *
 * @param token A class, a token or a provider function.
 * @returns The dependency, or `undefined` if nothing is registered for the token.
 */
export function InjectOptional<T>(token: Class<T>): T | undefined;
/**
 * Returns the dependency that is registered for a token, if there is one.
 *
 * @param token The token.
 * @returns The dependency, or `undefined` if nothing is registered for the token.
 */
export function InjectOptional<T>(token: Token<T>): T | undefined;
/**
 * Returns the value that a function creates if the function is registered.
 *
 * @param token The function.
 * @returns The value, or `undefined` if the function is not registered.
 */
export function InjectOptional<T>(token: Provider<T>): T | undefined;
/**
 * Returns an instance of a class with a private constructor, if one is registered.
 *
 * @param token The class.
 * @returns The dependency, or `undefined` if nothing is registered for the class.
 */
export function InjectOptional<C extends ClosedClass<unknown>>(token: C & NotAFunction<C>): C["prototype"] | undefined;
export function InjectOptional(token: AnyToken<unknown> | ClosedClass<object>): unknown {
  return ask(token, true);
}

/**
 * Stops the request in a dependency that has responded through `ctx`: no later dependency is created and the method is
 * not called. It never returns, so the dependency needs no value for this case.
 *
 * @example A guard that redirects
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
 *
 * @param ctx The request.
 * @returns Never: it throws. A dependency may also throw a `Response`, which is then the response.
 */
export function Stop(ctx: Context): never {
  ctx.StopExecution();
  throw stopped;
}

/** Finds dependencies while a constructor, a method or a provider runs. */
export interface Injector {
  /** Returns the value for a token; `undefined` if it is optional and nothing is registered for it. */
  resolve(token: unknown, isOptional: boolean): unknown;
}

/** Thrown in place of a value once a dependency has stopped the work: nothing that comes later may run. */
export const stopped: FrameworkError = constantError(
  "FW_DEPENDENCY",
  "Cannot go on: a dependency has stopped the request",
);

let current: Injector | undefined = undefined;

/**
 * Puts an injector in force.
 *
 * @param injector The injector.
 * @returns The injector that was in force before, to be put back in a `finally`.
 */
export function enter(injector: Injector | undefined): Injector | undefined {
  const outer = current;
  current = injector;
  return outer;
}

/**
 * Asks the injector in force.
 *
 * @param token The token.
 * @param isOptional Whether `undefined` is returned if nothing is registered for the token.
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
    }": this is after an await, in a callback, at module level or in the constructor of ` +
      "a class that the program constructs itself; ask in a field, a constructor or a default argument, and let fw " +
      "construct the class, with Register(Class) or Handle(mvc.Singleton(Class))",
  );
}

recognise(Inject, "Inject");
recognise(InjectOptional, "InjectOptional");
