/**
 * Several copies of fw in one program, such as an application and a package that depend on different versions.
 *
 * @module
 */

/** The module that defined a class of fw, for messages. The symbol is the same in all copies. */
const origin: unique symbol = Symbol.for("fw.origin") as never;

/** Records the copy that a class belongs to. */
export function signCopy(type: { readonly prototype: object }): void {
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
