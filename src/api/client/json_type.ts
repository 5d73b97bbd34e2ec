/**
 * Types that map a controller's return types to their JSON form.
 *
 * The types are designed to be cheap for the compiler (tests/bench/client_types.ts). Plain records are recognized by
 * their keys in a single step, before any generic comparison.
 *
 * @module
 */

import type { Whole } from "../../../mvc/reflect/input_type.ts";
import type { TupleMark } from "../../../mvc/result/tuple.ts";
import type { ServerEvent } from "../../http/response/server_event.ts";

/**
 * A type after a JSON round trip. A bigint is written as a number. When it is read, it becomes a number if that is
 * exact, and a bigint otherwise.
 */
export type JSONOf<T> = T extends string | number | boolean | null | undefined ? T
  : T extends bigint ? number | bigint
  : T extends unknown[] ? JSONArray<T>
  : T extends object ? keyof T & SpecialKey extends never ? JSONRecord<T> : JSONSpecial<T>
  : T;

/**
 * The members that appear in JSON.
 *
 * @internal
 */
type JSONRecord<T> = { [K in keyof T as T[K] extends Unwritten ? never : K & string]: JSONOf<T[K]> };

/** The member types that JSON omits. */
type Unwritten = ((...args: never[]) => unknown) | symbol;

/**
 * The keys that distinguish other types from plain records.
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
 * The JSON form of arrays, maps, sets, dates and similar types.
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
 * The JSON form of an array. The comparison recognizes a plain array before the compiler creates its 41 members.
 *
 * @internal
 */
type JSONArray<T extends readonly unknown[]> = T extends (infer Item)[]
  ? Item[] extends T ? JSONOf<Item>[] : JSONList<T>
  : never;

/**
 * The JSON form of arrays and tuples. Arrays are mapped by their items, so that a branded array keeps its methods.
 *
 * @internal
 */
type JSONList<T extends readonly unknown[]> = number extends T["length"]
  ? T extends unknown[] ? JSONOf<T[number]>[] : readonly JSONOf<T[number]>[]
  : T extends readonly [...infer Items] ? { [K in keyof Items]: JSONOf<Items[K]> }
  : { [K in keyof T]: JSONOf<T[K]> };

/**
 * The value of a call to a method that returns `R`.
 *
 * Status codes, `true` and "not found" have no body. Errors are never values, and neither are tuples with a literal
 * status of 400 or higher. A response written through the Context, or with its own content type, is `unknown`.
 */
export type ValueOf<R> = R extends string | null | undefined ? R
  : R extends unknown[] ? JSONArray<R>
  : R extends TupleMark<infer A, infer B> ? ValueOfTuple<A, B>
  : R extends object ? keyof R & SpecialKey extends never ? JSONRecord<R> : ValueOfSpecial<R>
  : R extends number | boolean ? undefined
  : R extends bigint ? number | bigint
  : unknown;

/**
 * The value of a return type that is not a plain record.
 *
 * @internal
 */
type ValueOfSpecial<R> = R extends Promise<infer V> ? ValueOf<V>
  : R extends readonly unknown[] ? JSONList<R>
  : R extends Error ? never
  : R extends { Dispatch(ctx: never): unknown } | { arrayBuffer(): unknown } ? unknown
  : R extends AsyncGenerator<infer Chunk> | Generator<infer Chunk> ? StreamOf<Chunk>
  : R extends { [Symbol.asyncIterator]: unknown } | { byteLength: number } ? Blob
  : JSONSpecial<R>;

/** The chunks of a stream. */
type StreamOf<Chunk> = AsyncIterable<ChunkOf<Chunk>>;

type ChunkOf<Chunk> = Chunk extends string | Uint8Array ? Chunk
  : Chunk extends ServerEvent<infer Data> ? ReceivedEvent<JSONOf<Data>>
  : JSONOf<Chunk>;

/**
 * The value of a tuple that a method returns.
 *
 * @internal
 */
type ValueOfTuple<A, B> = Whole<B> extends Whole<boolean> ? ValueOf<NonNullable<A>>
  : Whole<B> extends Whole<Error | null> ? ValueOf<A>
  : A extends number ? IsErrorStatus<A> extends true ? never : ValueOf<B>
  : Whole<B> extends Whole<string> ? A extends string ? string : unknown
  : B extends number ? IsErrorStatus<B> extends true ? never : ValueOf<A>
  : ValueOf<A>;

/** Whether a type is a literal status of 400 or higher. */
export type IsErrorStatus<Status extends number> = `${Status}` extends `4${string}` | `5${string}` ? true : false;

/** A received server-sent event. */
export interface ReceivedEvent<Data = unknown> {
  /** The event ID, or an empty string if there is none. */
  readonly ID: string;
  /**
   * The event name.
   *
   * @default {"message"}
   */
  readonly Name: string;
  /** The event data: the parsed JSON, or a string. */
  readonly Data: Data;
}
