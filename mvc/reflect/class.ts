/**
 * Classes as values.
 *
 * @module
 */

/** A class, as a token. */
export type Class<T> = abstract new (...args: never[]) => T;

/** A class with a private constructor, as a token. The compiler knows such a class only by its prototype. */
export interface ClosedClass<T> {
  /** The prototype of the instances. */
  readonly prototype: T;
}

/**
 * Prevents functions from being accepted as classes: `never` for a function, whose `prototype` may be anything, and
 * `unknown` for a class.
 */
export type NotAFunction<C extends ClosedClass<unknown>> = 0 extends 1 & C["prototype"] ? never : unknown;

/**
 * Reports whether a value is a class rather than a plain function.
 *
 * @param value The value.
 */
export function isClass(value: unknown): value is Class<object> {
  // Only classes have a read-only prototype property.
  return typeof value === "function" && Object.getOwnPropertyDescriptor(value, "prototype")?.writable === false;
}

/** Reports whether a class is the same as another class or extends it, directly or indirectly. */
export function isSubclass(type: Class<object>, of: Class<object>): boolean {
  return type === of || Object.prototype.isPrototypeOf.call(of.prototype, type.prototype);
}

/** Reports whether a value is an instance of a class, ignoring `Symbol.hasInstance`. */
export function isInstance(value: unknown, of: Class<object>): boolean {
  return typeof value === "object" && value !== null && Object.prototype.isPrototypeOf.call(of.prototype, value);
}
