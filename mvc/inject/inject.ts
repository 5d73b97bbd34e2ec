/**
 * `mvc.Inject`.
 *
 * @module
 */

import type { Class, ClosedClass, NotAFunction } from "../reflect/class.ts";
import { recognise } from "./default_value.ts";
import { ask } from "./injector.ts";
import type { AnyToken, Provider, Token } from "./token.ts";

/**
 * Asks for a dependency: in a field, in a constructor, or in the default value of an argument of a constructor, a method
 * or a provider; and, where its value does not take time, also in a body before the first `await`. Anywhere else it
 * throws: after an `await`, in a callback, at module level, and in an instance that fw did not construct.
 *
 * Dependencies are created in the order in which they are written, one after another. Once one of them has failed or has
 * stopped the request, no later one is created and the method is not called.
 *
 * What a promise gives is waited for. A constructor that asks for it may be run anew when it is there, so constructors
 * must have no side effects; the body of a method or a provider runs once, so there it is an error to ask for what takes
 * time.
 *
 * @example A field and an argument
 * ```ts
 * import { assertEquals } from "@std/assert";
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
 * assertEquals(await (await app.fetch(request)).json(), { id: 1, name: "Ada", agent: "docs" });
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

recognise(Inject, "Inject");
