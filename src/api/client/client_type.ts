/**
 * Types that derive a client's methods from a controller's.
 *
 * @module
 */

import type { SourceOf } from "../../../mvc/reflect/input_type.ts";
import type { RouteName } from "../../../mvc/reflect/method_parser.ts";
import type { CallResult, ErrorOf } from "./call_result.ts";
import type { ValueOf } from "./json_type.ts";
import type { CallOptions } from "./options.ts";

/**
 * The client-side methods of a controller. Each method takes its path arguments in order, followed by an options object
 * with the typed inputs. Context and service parameters are removed.
 *
 * @typeParam C The controller's type.
 * @typeParam Extra The names of the methods that `BeforeActivation` registers as routes.
 */
export type Client<C, Extra extends keyof C = never> = {
  readonly [K in keyof C as RouteName<K> | (K & Extra)]: C[K] extends (...args: infer A) => infer R
    ? Call<ArgumentsOf<Required<A>>, ValueOf<R>, ErrorOf<R>>
    : never;
};

/** A client method. */
export interface Call<A extends readonly unknown[], Value, Failure = Error> {
  /** Sends the request and reads the response. */
  (...args: A): Promise<CallResult<Value, Failure>>;
  /** Sends the request and returns the unread response, regardless of its status. */
  Raw(...args: A): Promise<Response>;
}

/**
 * The arguments of a call, derived from those of the controller's method.
 *
 * @internal
 */
export type ArgumentsOf<A extends readonly unknown[]> = A extends readonly [] ? [options?: CallOptions]
  : [...PathArguments<A>, ...OptionsOf<InputsOf<A>>];

/**
 * The path arguments with their parameter names. TypeScript keeps parameter names only if a tuple is sliced as a whole.
 *
 * @internal
 */
type PathArguments<A extends readonly unknown[]> = A extends readonly [infer First, ...infer Rest]
  ? IsPathArgument<First> extends true
    ? A extends readonly [...infer Named, ...Rest] ? [...Named, ...PathArguments<Rest>] : never
  : PathArguments<Rest>
  : [];

/**
 * Whether an argument is a path argument: a string, number or boolean that is not read from another part of the
 * request.
 */
type IsPathArgument<A> = [A] extends [string | number | bigint | boolean | undefined]
  ? 0 extends 1 & A ? false : [SourceOf<A>] extends [never] ? true : false
  : false;

/**
 * The typed inputs, keyed by the part of the request they are read from.
 *
 * @internal
 */
type InputsOf<A extends readonly unknown[], Inputs = unknown> = A extends readonly [infer First, ...infer Rest]
  ? InputsOf<Rest, Inputs & InputOf<SourceOf<First>>>
  : Inputs;

/**
 * Whether an input is required. A body is required unless its schema accepts `undefined`. Other inputs are optional if
 * they may be empty.
 */
type InputOf<Source> = [Source] extends [never] ? unknown
  : Source extends readonly [infer Kind extends string, infer In] ? Kind extends "Params" | "Inject" ? unknown
    : Kind extends "Body" ? undefined extends In ? { readonly Body?: In } : { readonly Body: In }
    : Record<never, never> extends In ? { readonly [Name in Kind]?: In }
    : { readonly [Name in Kind]: In }
  : unknown;

type OptionsOf<Inputs> = unknown extends Inputs ? [options?: CallOptions]
  : Record<never, never> extends Inputs ? [options?: Inputs & CallOptions]
  : [options: Inputs & CallOptions];
