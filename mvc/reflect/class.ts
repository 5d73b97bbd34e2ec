/**
 * Classes as values: told from functions, and compared.
 *
 * @module
 */

/** A class, as a token. */
export type Class<T> = abstract new (...args: never[]) => T;

/** A class with a private constructor, as a token: the compiler knows it only by what its instances inherit from. */
export interface ClosedClass<T> {
  /** What instances inherit from. */
  readonly prototype: T;
}

/**
 * Keeps functions from being taken for classes: `never` for a function, whose `prototype` may be anything, and
 * `unknown` for a class.
 */
export type NotAFunction<C extends ClosedClass<unknown>> = 0 extends 1 & C["prototype"] ? never : unknown;

/**
 * Reports whether a value is a class, and not a function to call.
 *
 * @param value Any value.
 */
export function isClass(value: unknown): value is Class<object> {
  // Of all functions only classes have a prototype that cannot be replaced.
  return typeof value === "function" && Object.getOwnPropertyDescriptor(value, "prototype")?.writable === false;
}

/** Reports whether a class is another one or extends it, also by way of others. */
export function isSubclass(type: Class<object>, of: Class<object>): boolean {
  return type === of || Object.prototype.isPrototypeOf.call(of.prototype, type.prototype);
}

/** Reports whether a value is an instance of a class, whatever its `Symbol.hasInstance` says. */
export function isInstance(value: unknown, of: Class<object>): boolean {
  return typeof value === "object" && value !== null && Object.prototype.isPrototypeOf.call(of.prototype, value);
}
