// The functions from npm, which have no types, with the types of the real package.
import * as real from "npm:deno-std@1.4.0/assert/mod.js";

/** A falsy value. */
export type Falsy = false | 0 | 0n | "" | null | undefined;
/** Any class. */
export type AnyConstructor = abstract new (...args: never[]) => unknown;
/** An array or array-like object, but not a string. */
export type ArrayLikeArg<T> = ArrayLike<T> & object;
/** The error that a failed assertion throws. */
export type AssertionError = Error;

type ErrorClass<E extends Error> = abstract new (...args: never[]) => E;
type Compare = <T>(actual: T, expected: T, msg?: string) => void;

interface Throws {
  (fn: () => unknown, msg?: string): unknown;
  <E extends Error = Error>(fn: () => unknown, ErrorClass: ErrorClass<E>, msgIncludes?: string, msg?: string): E;
}

interface Rejects {
  (fn: () => PromiseLike<unknown>, msg?: string): Promise<unknown>;
  <E extends Error = Error>(
    fn: () => PromiseLike<unknown>,
    ErrorClass: ErrorClass<E>,
    msgIncludes?: string,
    msg?: string,
  ): Promise<E>;
}

export const AssertionError: new (message: string, options?: ErrorOptions) => AssertionError = real.AssertionError;
export const assert: (expr: unknown, msg?: string) => asserts expr = real.assert;
export const assertAlmostEquals: (actual: number, expected: number, tolerance?: number, msg?: string) => void =
  real.assertAlmostEquals;
export const assertArrayIncludes: <T>(actual: ArrayLikeArg<T>, expected: ArrayLikeArg<T>, msg?: string) => void =
  real.assertArrayIncludes;
export const assertEquals: Compare = real.assertEquals;
export const assertExists: <T>(actual: T, msg?: string) => asserts actual is NonNullable<T> = real.assertExists;
export const assertFalse: (expr: unknown, msg?: string) => asserts expr is Falsy = real.assertFalse;
export const assertGreater: Compare = real.assertGreater;
export const assertGreaterOrEqual: Compare = real.assertGreaterOrEqual;
export const assertInstanceOf: <T extends AnyConstructor>(
  actual: unknown,
  expectedType: T,
  msg?: string,
) => asserts actual is InstanceType<T> = real.assertInstanceOf;
export const assertIsError: <E extends Error = Error>(
  error: unknown,
  ErrorClass?: ErrorClass<E>,
  msgMatches?: string | RegExp,
  msg?: string,
) => asserts error is E = real.assertIsError;
export const assertLess: Compare = real.assertLess;
export const assertLessOrEqual: Compare = real.assertLessOrEqual;
export const assertMatch: (actual: string, expected: RegExp, msg?: string) => void = real.assertMatch;
export const assertNotEquals: Compare = real.assertNotEquals;
export const assertNotInstanceOf: <A, T>(
  actual: A,
  unexpectedType: abstract new (...args: never[]) => T,
  msg?: string,
) => asserts actual is Exclude<A, T> = real.assertNotInstanceOf;
export const assertNotMatch: (actual: string, expected: RegExp, msg?: string) => void = real.assertNotMatch;
export const assertNotStrictEquals: Compare = real.assertNotStrictEquals;
export const assertObjectMatch: (
  // deno-lint-ignore no-explicit-any -- as in the real type; with unknown, class instances would not be accepted
  actual: Record<PropertyKey, any>,
  expected: Record<PropertyKey, unknown>,
  msg?: string,
) => void = real.assertObjectMatch;
export const assertRejects: Rejects = real.assertRejects;
export const assertStrictEquals: <T>(actual: unknown, expected: T, msg?: string) => asserts actual is T =
  real.assertStrictEquals;
export const assertStringIncludes: (actual: string, expected: string, msg?: string) => void = real.assertStringIncludes;
export const assertThrows: Throws = real.assertThrows;
export const equal: (a: unknown, b: unknown) => boolean = real.equal;
export const fail: (msg?: string) => never = real.fail;
export const unimplemented: (msg?: string) => never = real.unimplemented;
export const unreachable: (msg?: string) => never = real.unreachable;
