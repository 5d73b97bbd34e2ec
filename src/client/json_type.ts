/**
 * What a controller's return types are for a client, after JSON: types only.
 *
 * Written to cost the compiler little (tests/bench/client_types.ts): plain records are told by their keys in one step,
 * before anything generic is compared.
 *
 * @module
 */

import type { TupleMark } from "../../mvc/result/tuple.ts";
import type { ServerEvent } from "../../src/response/server_events.ts";
import type { ReceivedEvent } from "./event_type.ts";

/**
 * A value after it was written as JSON and read again. A bigint is written as a number; it is read as one if a number
 * can hold it, and as a bigint otherwise.
 */
export type JSONOf<T> = T extends string | number | boolean | null | undefined ? T
  : T extends bigint ? number | bigint
  : T extends object ? [keyof T & SpecialKey] extends [never] ? JSONRecord<T> : JSONSpecial<T>
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
type JSONSpecial<T> = T extends readonly unknown[] ? JSONList<T>
  : T extends { toJSON(...args: never[]): infer J } ? JSONOf<J>
  : T extends ReadonlyMap<unknown, infer V> ? { [name: string]: JSONOf<V> }
  : T extends ReadonlySet<infer V> | IteratorObject<infer V> ? JSONOf<V>[]
  : T extends Iterable<unknown> ? unknown
  : JSONRecord<T>;

/**
 * Lists by their items, so that a brand on a list does not take its methods away; tuples by their members.
 *
 * @internal
 */
type JSONList<T extends readonly unknown[]> = number extends T["length"]
  ? T extends unknown[] ? JSONOf<T[number]>[] : readonly JSONOf<T[number]>[]
  : T extends readonly [...infer Items] ? { [K in keyof Items]: JSONOf<Items[K]> }
  : { [K in keyof T]: JSONOf<T[K]> };

/**
 * What a call resolves to when the controller's method returns `R`.
 *
 * A status, `true` and nothing found have no body. An error is never a value, nor is a tuple with a literal status of
 * 400 or more. What is written through the Context, and what says its content type itself, only the response tells.
 */
export type ValueOf<R> = R extends string | null | undefined ? R
  : R extends object ? [keyof R & SpecialKey] extends [never] ? JSONRecord<R> : ValueOfSpecial<R>
  : R extends number | boolean ? undefined
  : R extends bigint ? number | bigint
  : unknown;

/**
 * What is not a plain record.
 *
 * @internal
 */
type ValueOfSpecial<R> = R extends Promise<infer V> ? ValueOf<V>
  : R extends TupleMark<infer A, infer B> ? ValueOfTuple<A, B>
  : R extends readonly unknown[] ? JSONList<R>
  : R extends Error ? never
  : R extends { Dispatch(ctx: never): unknown } | { arrayBuffer(): unknown } ? unknown
  : R extends AsyncGenerator<infer Chunk> | Generator<infer Chunk> ? StreamOf<Chunk>
  : R extends { [Symbol.asyncIterator]: unknown } | { byteLength: number } ? Blob
  : JSONSpecial<R>;

/** What is read of a stream, chunk by chunk. */
type StreamOf<Chunk> = AsyncIterable<ChunkOf<Chunk>>;

type ChunkOf<Chunk> = Chunk extends string | Uint8Array ? Chunk
  : Chunk extends ServerEvent<infer Data> ? ReceivedEvent<JSONOf<Data>>
  : JSONOf<Chunk>;

type ValueOfTuple<A, B> = [B] extends [boolean] ? ValueOf<NonNullable<A>>
  : [B] extends [Error | null] ? ValueOf<A>
  : A extends number ? IsErrorStatus<A> extends true ? never : ValueOf<B>
  : [B] extends [string] ? A extends string ? string : unknown
  : B extends number ? IsErrorStatus<B> extends true ? never : ValueOf<A>
  : ValueOf<A>;

/** Reports whether a type is a literal status of 400 or more. */
export type IsErrorStatus<Status extends number> = `${Status}` extends `4${string}` | `5${string}` ? true : false;
