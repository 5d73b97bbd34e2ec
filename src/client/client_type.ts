/**
 * A client's methods from a controller's: types only.
 *
 * @module
 */

import type { From } from "../../mvc/reflect/input_type.ts";
import type { RouteName } from "../../mvc/reflect/route_name.ts";
import type { ValueOf } from "./json_type.ts";
import type { CallOptions } from "./options.ts";

/**
 * The methods of a controller as a client calls them: path arguments in their order, then one record with the typed
 * inputs; contexts and services are gone.
 */
export type Client<C> = {
  readonly [K in keyof C as RouteName<K>]: C[K] extends
    (a: infer A1, b: infer A2, c: infer A3, d: infer A4, e: infer A5) => infer R
    ? unknown extends A5 ? (...args: Arguments<A1, A2, A3, A4>) => Promise<CallResult<ValueOf<R>>>
    : C[K] extends (...args: infer A) => unknown
      ? (...args: ManyArguments<Required<A>>) => Promise<CallResult<ValueOf<R>>>
    : never
    : never;
};

/** What a call resolves to: the value and no error, or the error alone. */
export type CallResult<T> = readonly [T, null] | readonly [undefined, Error];

/**
 * The arguments of a call from those of the method; one that the method does not have is `unknown`.
 *
 * Up to four are taken one by one, which costs a third of taking the list apart (tests/bench/client_types.ts).
 *
 * @internal
 */
type Arguments<A1, A2, A3, A4> = unknown extends A1 ? [options?: CallOptions]
  : unknown extends A2 ? [...PathArgument<A1>, ...OptionsOf<InputOf<A1>>]
  : [
    ...PathArgument<A1>,
    ...PathArgument<A2>,
    ...PathArgument<A3>,
    ...PathArgument<A4>,
    ...OptionsOf<InputOf<A1> & InputOf<A2> & InputOf<A3> & InputOf<A4>>,
  ];

/**
 * The same for a method with more than four.
 *
 * @internal
 */
type ManyArguments<A extends readonly unknown[], Path extends readonly unknown[] = [], Inputs = unknown> = A extends
  readonly [infer First, ...infer Rest]
  ? ManyArguments<Rest, [...Path, ...PathArgument<First>], Inputs & InputOf<First>>
  : [...Path, ...OptionsOf<Inputs>];

/** A text, number or boolean that is not read from another part of the request is an argument of the path. */
type PathArgument<A> = [A] extends [string | number | bigint | boolean | undefined]
  ? NonNullable<A> extends From<string, unknown> ? [] : [argument: NonNullable<A>]
  : [];

/** A typed input, under the name of the part of the request that it is read from; anything else adds nothing. */
type InputOf<A> = unknown extends A ? unknown
  : NonNullable<A> extends From<infer Kind, infer In> ? Input<Kind, In>
  : unknown;

/** A body is sent unless its schema takes none; of the others, those that may be empty may be left out. */
type Input<Kind extends string, In> = Kind extends "Params" ? unknown
  : Kind extends "Body" ? undefined extends In ? { readonly Body?: In } : { readonly Body: In }
  : Record<never, never> extends In ? { readonly [Name in Kind]?: In }
  : { readonly [Name in Kind]: In };

type OptionsOf<Inputs> = unknown extends Inputs ? [options?: CallOptions]
  : Record<never, never> extends Inputs ? [options?: Inputs & CallOptions]
  : [options: Inputs & CallOptions];
