/**
 * What dependencies are asked for by: classes, tokens, provider functions.
 *
 * @module
 */

import type { Context } from "../../src/context/context.ts";
import { type Class, isClass } from "./class.ts";

/** A name for a dependency that has no class of its own; created by the function of the same name. */
export interface Token<T> {
  /** The name, for people. */
  readonly Name: string;
  /** The type of the dependency; exists for the compiler only. */
  readonly "~type"?: T;
  /** The mark by which the compiler tells a token from an `fw.Key`. */
  readonly IsToken: true;
}

/**
 * Creates a token: a typed name for a dependency that has no class of its own.
 *
 * @example A setting
 * ```ts
 * import * as fw from "@fw/web";
 * import * as mvc from "@fw/web/mvc";
 *
 * const greeting = mvc.Token<string>("greeting");
 * class HelloController {
 *   greeting = mvc.Inject(greeting);
 *   Get() {
 *     return this.greeting;
 *   }
 * }
 * const app = fw.New();
 * mvc.New(app).Register(mvc.Provide(greeting, "Hello")).Handle(HelloController);
 *
 * await (await app.fetch(new Request("http://localhost/"))).text(); // → "Hello"
 * ```
 *
 * @param name The name, for error messages; two tokens of one name are two tokens.
 * @returns The token.
 */
export function Token<T>(name: string): Token<T> {
  return Object.freeze(new NamedToken(name));
}

/** Creates a dependency: without an argument once for all, with one once for every request that asks for it. */
export type Provider<T> = (() => T | Promise<T>) | ((ctx: Context) => T | Promise<T>);

/** Everything that a dependency can be asked for by. */
export type AnyToken<T> = Class<T> | Token<T> | Provider<T>;

/** A token as an object. */
export class NamedToken {
  readonly Name: string;

  constructor(name: string) {
    this.Name = name;
  }

  get IsToken(): true {
    return true;
  }
}

/** Reports whether a value was created by {@linkcode Token}. */
export function isToken(value: unknown): value is Token<unknown> {
  return value instanceof NamedToken;
}

/** Reports whether a value is a function to call. */
export function isProvider(value: unknown): value is Provider<unknown> {
  return typeof value === "function" && !isClass(value);
}

/** The name of a token, for error messages. */
export function labelOf(token: unknown): string {
  if (isToken(token)) return token.Name;
  if (typeof token === "function") return token.name === "" ? "an anonymous function" : token.name;
  if (typeof token === "object" && token !== null) return token.constructor?.name ?? "an object";
  return String(token);
}
