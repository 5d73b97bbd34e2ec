/**
 * What a controller's return types are for a client, after JSON: types only.
 *
 * Written to cost the compiler little (tests/bench/client_types.ts): plain records are told by their keys in one step,
 * before anything generic is compared.
 *
 * @module
 */

import type { TupleMark } from "../../mvc/result/tuple.ts";

/** A value after it was written as JSON and read again. */
export type JSONOf<T> = T extends object ? [keyof T & SpecialKey] extends [never] ? JSONRecord<T> : JSONSpecial<T>
  : T extends bigint ? number
  : T;

/**
 * The members that JSON writes.
 *
 * @internal
 */
type JSONRecord<T> = { [K in keyof T as T[K] extends Unwritten ? never : K & string]: JSONOf<T[K]> };

/** What JSON leaves out of an object. */
type Unwritten = ((...args: never[]) => unknown) | symbol;

/**
 * The keys that tell what is not a plain record.
 *
 * @internal
 */
type SpecialKey =
  | typeof Symbol.iterator
  | typeof Symbol.asyncIterator
  | "toJSON"
  | "then"
  | "IsTuple"
  | "Dispatch"
  | "arrayBuffer"
  | "byteLength"
  | "stack";

/**
 * Lists, maps, sets, dates and the like.
 *
 * @internal
 */
type JSONSpecial<T> = 0 extends 1 & T ? T
  : T extends readonly unknown[] ? { [K in keyof T]: JSONOf<T[K]> }
  : T extends { toJSON(...args: never[]): infer J } ? JSONOf<J>
  : T extends ReadonlyMap<unknown, infer V> ? { [name: string]: JSONOf<V> }
  : T extends ReadonlySet<infer V> | IteratorObject<infer V> ? JSONOf<V>[]
  : T extends Iterable<unknown> ? unknown
  : JSONRecord<T>;

/**
 * What a call resolves to when the controller's method returns `R`.
 *
 * A status, `true` and nothing found have no body. An error is never a value. What is written through the Context, and
 * what says its content type itself, only the response tells.
 */
export type ValueOf<R> = R extends object ? [keyof R & SpecialKey] extends [never] ? JSONRecord<R> : ValueOfSpecial<R>
  : R extends number | boolean ? undefined
  : R extends bigint ? number
  : R extends string | null | undefined ? R
  : unknown;

/**
 * What is not a plain record.
 *
 * @internal
 */
type ValueOfSpecial<R> = 0 extends 1 & R ? unknown
  : R extends Promise<infer V> ? ValueOf<V>
  : R extends TupleMark<infer A, infer B> ? ValueOfTuple<A, B>
  : R extends readonly unknown[] ? JSONSpecial<R>
  : R extends Error ? never
  : R extends { Dispatch(ctx: never): unknown } | { arrayBuffer(): unknown } ? unknown
  : R extends { [Symbol.asyncIterator]: unknown } | { byteLength: number } | Generator<unknown> ? Blob
  : JSONSpecial<R>;

type ValueOfTuple<A, B> = [B] extends [boolean] ? ValueOf<NonNullable<A>>
  : [B] extends [Error | null] ? ValueOf<A>
  : A extends number ? ValueOf<B>
  : [B] extends [string] ? A extends string ? string : unknown
  : ValueOf<A>;
