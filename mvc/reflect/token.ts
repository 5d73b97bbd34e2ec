/**
 * Tokens that identify dependencies: classes, named tokens and provider functions.
 *
 * @module
 */

import type { Context } from "../../src/context/context.ts";
import { type Class, isClass } from "./class.ts";

/** A typed name for a dependency that has no class. Created by the function of the same name. */
export interface Token<T> {
  /** The name, for error messages. */
  readonly Name: string;
  /** The type of the dependency; exists for the compiler only. */
  readonly "~type"?: T;
  /** A marker that lets the compiler distinguish a token from an `fw.Key`. */
  readonly IsToken: true;
}

/**
 * Creates a token: a typed name for a dependency that has no class. Each token is unique, even if several have the same
 * name.
 *
 * @param name The name, for error messages.
 * @returns The token.
 *
 * @example Inject a setting
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
 */
export function Token<T>(name: string): Token<T> {
  return Object.freeze(new NamedToken(name));
}

/** A function that creates a dependency: once if it has no argument, or once per request if it takes the context. */
export type Provider<T> = (() => T | Promise<T>) | ((ctx: Context) => T | Promise<T>);

/** A token that identifies a dependency: a class, a named token or a provider function. */
export type AnyToken<T> = Class<T> | Token<T> | Provider<T>;

/** The implementation of {@linkcode Token}. */
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

/** Reports whether a value is a provider function. */
export function isProvider(value: unknown): value is Provider<unknown> {
  return typeof value === "function" && !isClass(value);
}

/** Returns the name of a token, for error messages. */
export function labelOf(token: unknown): string {
  if (isToken(token)) return token.Name;
  if (typeof token === "function") return token.name === "" ? "an anonymous function" : token.name;
  if (typeof token === "object" && token !== null) return token.constructor?.name ?? "an object";
  return String(token);
}
