/**
 * Several copies of fw in one program, such as an application and a package that depend on different versions.
 *
 * @module
 */

/** The module that defined a class of fw, for messages. The symbol is the same in all copies. */
const origin: unique symbol = Symbol.for("fw.origin") as never;

/** A class, also an abstract one. */
// deno-lint-ignore no-explicit-any
type Class = abstract new (...args: any[]) => object;

/**
 * Lets `instanceof` recognize the instances that other copies of fw have created.
 *
 * @param type The class. Its subclasses are compared as usual.
 * @param name The name of the class.
 */
export function recognizeCopies(type: Class, name: string): void {
  const brand = Symbol.for(`fw.${name}`);
  Object.defineProperty(type.prototype, brand, { value: true });
  Object.defineProperty(type, Symbol.hasInstance, {
    value(this: unknown, value: unknown): boolean {
      return this === type
        ? Object(value)[brand] === true
        : Function.prototype[Symbol.hasInstance].call(this as CallableFunction, value);
    },
  });
}

/** Records the copy that a class belongs to. */
export function signCopy(type: Class): void {
  Object.defineProperty(type.prototype, origin, { value: import.meta.url });
}

/**
 * Returns the reason why an object cannot be used, if it belongs to another copy of fw.
 *
 * @param name The name of the expected class.
 * @param value The object.
 */
export function foreignReason(name: string, value: unknown): string {
  const from = (Object(value) as { readonly [origin]?: string })[origin];
  return from === undefined
    ? `Cannot use a value of type "${typeof value}": it is not a ${name}`
    : `Cannot use a ${name} of another copy of fw: it comes from ${from}, but this code from ${import.meta.url}; ` +
      "let both depend on the same version";
}
