/**
 * A client's methods from a controller's: types only.
 *
 * @module
 */

import type { SourceOf } from "../../mvc/reflect/input_type.ts";
import type { RouteName } from "../../mvc/reflect/route_name.ts";
import type { CallResult, ErrorOf } from "./call_result.ts";
import type { ValueOf } from "./json_type.ts";
import type { CallOptions } from "./options.ts";

/**
 * The methods of a controller as a client calls them: path arguments in their order and by their names, then one record
 * with the typed inputs. Contexts and services are gone.
 *
 * @typeParam C The controller.
 * @typeParam Extra The names of methods that `BeforeActivation` routes by hand.
 */
export type Client<C, Extra extends keyof C = never> = {
  readonly [K in keyof C as RouteName<K> | (K & Extra)]: C[K] extends (...args: infer A) => infer R
    ? Call<ArgumentsOf<Required<A>>, ValueOf<R>, ErrorOf<R>>
    : never;
};

/** One method of a client. */
export interface Call<A extends readonly unknown[], Value, Failure = Error> {
  /** Sends a request, and reads its response. */
  (...args: A): Promise<CallResult<Value, Failure>>;
  /** Sends a request, and resolves to its response as it is, whatever its status. */
  Raw(...args: A): Promise<Response>;
}

/**
 * The arguments of a call from those of a method.
 *
 * @internal
 */
export type ArgumentsOf<A extends readonly unknown[]> = A extends readonly [] ? [options?: CallOptions]
  : [...PathArguments<A>, ...OptionsOf<InputsOf<A>>];

/**
 * The path arguments, by the names that the method gives them: the compiler keeps the names of what it cuts off whole.
 *
 * @internal
 */
type PathArguments<A extends readonly unknown[]> = A extends readonly [infer First, ...infer Rest]
  ? IsPathArgument<First> extends true
    ? A extends readonly [...infer Named, ...Rest] ? [...Named, ...PathArguments<Rest>] : never
  : PathArguments<Rest>
  : [];

/** A string, number or boolean that is not read from another part of the request is an argument of the path. */
type IsPathArgument<A> = [A] extends [string | number | bigint | boolean | undefined]
  ? 0 extends 1 & A ? false : [SourceOf<A>] extends [never] ? true : false
  : false;

/**
 * All typed inputs, each under the name of the part of the request that it is read from.
 *
 * @internal
 */
type InputsOf<A extends readonly unknown[], Inputs = unknown> = A extends readonly [infer First, ...infer Rest]
  ? InputsOf<Rest, Inputs & InputOf<SourceOf<First>>>
  : Inputs;

/** A body is sent unless its schema takes none; of the others, those that may be empty may be left out. */
type InputOf<Source> = [Source] extends [never] ? unknown
  : Source extends readonly [infer Kind extends string, infer In] ? Kind extends "Params" ? unknown
    : Kind extends "Body" ? undefined extends In ? { readonly Body?: In } : { readonly Body: In }
    : Record<never, never> extends In ? { readonly [Name in Kind]?: In }
    : { readonly [Name in Kind]: In }
  : unknown;

type OptionsOf<Inputs> = unknown extends Inputs ? [options?: CallOptions]
  : Record<never, never> extends Inputs ? [options?: Inputs & CallOptions]
  : [options: Inputs & CallOptions];
