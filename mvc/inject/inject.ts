/**
 * `mvc.Inject` and the scope that it looks into.
 *
 * A scope is in force only while a constructor, a method's default values or a provider run synchronously; nothing is
 * in force across an await, so two requests never see each other's.
 *
 * @module
 */

import { FrameworkError } from "../../src/base/errors.ts";
import type { Class } from "../reflect/class.ts";
import { type AnyToken, labelOf, type Provider, type Token } from "./token.ts";

/** Where dependencies are found. */
export interface Injector {
  /** Finds the value for a token, or throws a {@linkcode Suspension} if it has to be waited for. */
  resolve(token: unknown): unknown;
}

let current: Injector | undefined = undefined;

/**
 * Puts a scope in force.
 *
 * @param scope The scope.
 * @returns The scope that was in force before, to be put back in a `finally`.
 */
export function enter(scope: Injector | undefined): Injector | undefined {
  const outer = current;
  current = scope;
  return outer;
}

/**
 * Calls a method inside a scope.
 *
 * @param scope The scope.
 * @param method The method.
 * @param instance What it is called on.
 * @param args Its arguments; those left out find their default values in the scope.
 */
export function callIn(
  scope: Injector | undefined,
  method: (this: object, ...args: unknown[]) => unknown,
  instance: object,
  args: unknown[],
): unknown {
  const outer = enter(scope);
  try {
    return method.apply(instance, args);
  } finally {
    enter(outer);
  }
}

/**
 * Asks for a dependency, in a field, in the default value of a constructor's or a method's argument, or in a provider.
 *
 * What a promise gives is waited for. The first time, a constructor or a provider that asks for it may be run anew when
 * it is there; a method's body is not, as long as `Inject` is called in its default values and not in the body.
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
 * Asks for what a registered function makes.
 *
 * @param token The function.
 * @returns What it makes; of a promise, what it gives.
 */
export function Inject<T>(token: Provider<T>): T;
export function Inject(token: AnyToken<unknown>): unknown {
  return current === undefined ? defer(token) : current.resolve(token);
}

/**
 * Thrown by a scope in place of a value that has to be waited for. Whoever put the scope in force waits and tries again.
 */
export class Suspension {
  /** What is waited for; a later try may begin with it. */
  readonly of: object;
  /** Done when the value is there; rejected when it will never be. */
  readonly until: Promise<void>;

  constructor(of: object, until: Promise<void>) {
    this.of = of;
    this.until = until;
  }
}

const deferred = new WeakMap<object, unknown>();

/**
 * The token that a value stands for, when `Inject` was called outside of every scope to make it.
 *
 * @param value Any value, mostly that of a field of a singleton controller.
 * @returns The token in a box, or `undefined`.
 */
export function deferredToken(value: unknown): { readonly token: unknown } | undefined {
  const isDeferred = typeof value === "function" && deferred.has(value);
  return isDeferred ? { token: deferred.get(value) } : undefined;
}

/**
 * A stand-in for a dependency that is asked for outside of every scope, as the fields of a singleton are, which the
 * program makes itself; `Handle` replaces it. Anywhere else it is a mistake, and using it says so.
 */
function defer(token: unknown): object {
  function refuse(): never {
    throw new FrameworkError(
      "FW_DEPENDENCY",
      `Cannot use the dependency "${labelOf(token)}": mvc.Inject was called where no dependency can be found, ` +
        "which is anywhere but in the fields and default values of controllers and providers; " +
        "a #private field of an instance that was passed to Handle cannot be filled",
    );
  }
  const standIn = new Proxy(nothing, {
    get: refuse,
    set: refuse,
    has: refuse,
    apply: refuse,
    construct: refuse,
    ownKeys: refuse,
    deleteProperty: refuse,
    defineProperty: refuse,
  });
  deferred.set(standIn, token);
  return standIn;
}

function nothing(): void {}
