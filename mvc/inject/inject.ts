/**
 * `mvc.Inject`, and what it asks while a constructor, a method or a provider runs.
 *
 * An injector is in force only while something of the program runs synchronously; none is in force across an await, so
 * two requests never see each other's.
 *
 * @module
 */

import { constantError, FrameworkError } from "../../src/base/errors.ts";
import type { Class, ClosedClass, NotAFunction } from "../reflect/class.ts";
import { type AnyToken, labelOf, type Provider, type Token } from "../reflect/token.ts";
import { recognise } from "./default_value.ts";

/**
 * Asks for a dependency: in a field, in a constructor, or in the default value of an argument of a constructor, a
 * method or a provider; and, where its value does not take time, also in a body before the first `await`. Anywhere else
 * it throws: after an `await`, in a callback, at module level, and in an instance that fw did not construct.
 *
 * Dependencies are created in the order in which they are written, one after another. Once one of them has failed or
 * has stopped the request, no later one is created and the method is not called.
 *
 * What a promise gives is waited for. A constructor that asks for it may be run anew when it is there, so constructors
 * must have no side effects; the body of a method or a provider runs once, so there it is an error to ask for what
 * takes time.
 *
 * What is missing shows when the application is built. In the default value of a method's or a function's argument only
 * if it is called by its own name there, `Inject(...)` or `mvc.Inject(...)`: a call by another name might be of any
 * function, and to try it could run the body, so that it is first made in a request. The rule `inject-name` of
 * `@fw/web/lint` finds imports under another name.
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
 * @param token A class, a token or a registered provider function, of which the value is injected.
 * @returns The dependency.
 */
export function Inject<T>(token: Class<T>): T;
/**
 * Asks for the dependency that is registered for a token.
 *
 * @param token The token.
 * @returns The dependency.
 */
export function Inject<T>(token: Token<T>): T;
/**
 * Asks for what a registered function creates.
 *
 * @param token The function.
 * @returns What it creates; of a promise, what it gives.
 */
export function Inject<T>(token: Provider<T>): T;
/**
 * Asks for an instance of a class with a private constructor.
 *
 * @param token The class.
 * @returns The dependency.
 */
export function Inject<C extends ClosedClass<unknown>>(token: C & NotAFunction<C>): C["prototype"];
export function Inject(token: AnyToken<unknown> | ClosedClass<object>): unknown {
  return ask(token);
}

/** Where dependencies are found. */
export interface Injector {
  /** Finds the value for a token, or throws {@linkcode suspended} if it has to be waited for. */
  resolve(token: unknown): unknown;
}

/** Thrown in place of a value that has to be waited for; the injector knows what for. */
export const suspended: FrameworkError = constantError(
  "FW_DEPENDENCY",
  "Cannot go on yet: a dependency takes time, and what asks for it is repeated when it is there",
);

/** Thrown in place of a value when a dependency has stopped the request. */
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
 * @param token What is asked for.
 * @returns The value.
 */
export function ask(token: unknown): unknown {
  if (current === undefined) throw outside(token);
  return current.resolve(token);
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
