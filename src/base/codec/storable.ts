/**
 * The types of the values that fw can store.
 *
 * @module
 */

/**
 * The type of a value as it is restored from a store. It is the same type for all values that can be stored: JSON,
 * `bigint`, `Date`, `URL`, `RegExp`, bytes, `Map`, `Set`, errors and `Temporal`. Functions, symbols and methods have
 * the type `never`, so that an object with a method cannot be passed. Values of the type `unknown` are checked when
 * they are passed.
 */
export type Storable<T> = unknown extends T ? T
  : T extends
    | (string | number | boolean | bigint | null | undefined | Date | URL | RegExp | Uint8Array | ArrayBuffer)
    // Not every program includes the declarations of Temporal.
    | { readonly [Symbol.toStringTag]: `Temporal.${string}` } ? T
  : T extends symbol | ((...args: never[]) => unknown) | (abstract new (...args: never[]) => unknown) ? never
  : T extends ReadonlyMap<infer K, infer V> ? ReadonlyMap<Storable<K>, Storable<V>>
  : T extends ReadonlySet<infer V> ? ReadonlySet<Storable<V>>
  : { [K in keyof T]: Storable<T[K]> };
