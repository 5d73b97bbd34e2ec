/**
 * Types that derive a client's methods from a controller's.
 *
 * @module
 */

import type { Marked, SourceOf, Whole } from "../../../mvc/reflect/input_type.ts";
import type { RouteName } from "../../../mvc/reflect/method_parser.ts";
import type { CallResult, ErrorOf } from "./call_result.ts";
import type { ValueOf } from "./json_type.ts";
import type { OptionalInput, RequiredInput } from "./input_options.ts";
import type { CallOptions } from "./options.ts";

/**
 * The client-side methods of a controller. Each method takes its path arguments in order, followed by an options object
 * with the typed inputs. Context and service parameters are removed.
 *
 * @typeParam C The controller's type.
 * @typeParam Extra The names of the methods that `BeforeActivation` registers as routes.
 */
export type Client<C, Extra extends keyof C = never> = {
  readonly [K in keyof C as RouteName<K> | (K & Extra)]: C[K] extends
    AnyMethod & Method<infer First, infer Rest, infer R, infer _> ? CallOf<C[K], First, Rest, ValueOf<R>, ErrorOf<R>>
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
 * A client method without path arguments.
 *
 * @internal
 */
export interface OptionsCall<Options, Value, Failure> {
  /** Sends the request and reads the response. */
  (options: Options): Promise<CallResult<Value, Failure>>;
  /** Sends the request and returns the unread response, regardless of its status. */
  Raw(options: Options): Promise<Response>;
}

/**
 * A client method without path arguments whose inputs are optional.
 *
 * @internal
 */
export interface OptionalCall<Options, Value, Failure> {
  /** Sends the request and reads the response. */
  (options?: Options): Promise<CallResult<Value, Failure>>;
  /** Sends the request and returns the unread response, regardless of its status. */
  Raw(options?: Options): Promise<Response>;
}

/**
 * Any function. The compiler does not compare the parameters of other functions with it.
 *
 * @internal
 */
export type AnyMethod = (...args: never) => unknown;

/**
 * A pattern that infers the first parameter, the other parameters and the return type of a function.
 *
 * A pattern is only known to be `unknown` after the inference, so that the compiler does not compare the type with it.
 * For every array and tuple that it compares, it creates more than 40 members.
 *
 * @typeParam _ An unused `infer`, which is unknown until the inference is complete.
 *
 * @internal
 */
export type Method<First, Rest, R, _> = _ & NonNullable<unknown> extends unknown ? unknown
  : Rest extends readonly unknown[] ? (first: First, ...rest: Rest) => R
  : never;

/** A pattern that infers all parameters of a function. */
type Parameterized<A, _> = _ & NonNullable<unknown> extends unknown ? unknown
  : A extends readonly unknown[] ? (...args: A) => unknown
  : never;

/**
 * The client method of a controller's method. Only path arguments need a tuple, because the compiler cannot name their
 * parameters otherwise.
 *
 * @internal
 */
export type CallOf<M, First, Rest, Value, Failure> = Rest extends readonly []
  ? IsPathArgument<First> extends true ? NamedCall<M, Value, Failure>
  : CallWith<InputOf<First>, Value, Failure>
  : NamedCall<M, Value, Failure>;

type NamedCall<M, Value, Failure> = M extends Parameterized<infer A, infer _> ? Call<ArgumentsOf<A>, Value, Failure>
  : never;

type CallWith<Inputs, Value, Failure> = unknown extends Inputs ? OptionalCall<CallOptions, Value, Failure>
  : Record<never, never> extends Inputs ? OptionalCall<Inputs, Value, Failure>
  : OptionsCall<Inputs, Value, Failure>;

/** A pattern that infers the last item of a tuple, and the items before it. */
type Last<Before, Item, _> = _ & NonNullable<unknown> extends unknown ? unknown
  : Before extends readonly unknown[] ? [...Before, Item]
  : never;

/** A pattern that infers the items after the first ones of a tuple. */
type After<First, Items, _> = _ & NonNullable<unknown> extends unknown ? unknown
  : First extends readonly unknown[] ? Items extends readonly unknown[] ? [...First, ...Items] : never
  : never;

/** Joins two tuples. The first is in an object, because the compiler would compare it with arrays. */
// deno-lint-ignore no-explicit-any
type Joined<A extends { readonly Items: any }, B extends readonly unknown[]> = [...A["Items"], ...B];

/**
 * The arguments of a call, derived from those of the controller's method: the path arguments with their parameter
 * names, and the options. TypeScript keeps parameter names only if a tuple is sliced.
 *
 * @typeParam Count The maximum number of parameters. A rest parameter ends the recursion with it.
 *
 * @internal
 */
export type ArgumentsOf<A, Inputs = unknown, Count extends number = 16> = A extends readonly [] ? OptionsOf<Inputs>
  : A extends Last<infer Before, infer Item, infer _>
    ? IsPathArgument<Item> extends true
      ? Before extends readonly [] ? Joined<{ readonly Items: RequiredItem<A, Item> }, OptionsOf<Inputs>>
      : ArgumentsBefore<A, Inputs, [], Count>
    : Count extends 0 ? OptionsOf<unknown>
    : ArgumentsOf<Before, Inputs & InputOf<Item>, Less[Count]>
  : never;

/** A tuple with one required item. `Required` would make the compiler create the members of the tuple. */
type RequiredItem<A, Item> = { [K in keyof A]-?: Item };

/** The arguments of a method with several parameters before its last path argument, or with a rest parameter. */
type ArgumentsBefore<A, Inputs, Path extends readonly unknown[], Count extends number> = A extends readonly []
  ? [...Path, ...OptionsOf<Inputs>]
  : Count extends 0 ? OptionsOf<unknown>
  : A extends Last<infer Before, infer Item, infer _>
    ? IsPathArgument<Item> extends true
      ? A extends After<Before, infer Named, infer _>
        ? ArgumentsBefore<Before, Inputs, Joined<{ readonly Items: Required<Named> }, Path>, Less[Count]>
      : never
    : ArgumentsBefore<Before, Inputs & InputOf<Item>, Path, Less[Count]>
  : never;

/** Each number, less one. */
type Less = readonly [0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];

/**
 * Whether an argument is a path argument: a string, number or boolean that is not read from another part of the
 * request.
 */
type IsPathArgument<A> = Whole<A> extends Whole<string | number | bigint | boolean | undefined>
  ? 0 extends 1 & A ? false : SourceOf<A> extends never ? true : false
  : false;

/**
 * The option for a typed input, keyed by the part of the request it is read from. A body is required unless its schema
 * accepts `undefined`. Other inputs are optional if they may be empty.
 *
 * @internal
 */
type InputOf<A> = Whole<A> extends Whole<Marked<infer Kind, infer In>> ? string extends Kind ? unknown
  : Kind extends "Params" | "Inject" ? unknown
  : Kind extends "Body" ? undefined extends In ? OptionalInput<Kind, In> : RequiredInput<Kind, In>
  : Record<never, never> extends In ? OptionalInput<Kind, In>
  : RequiredInput<Kind, In>
  : unknown;

type OptionsOf<Inputs> = unknown extends Inputs ? [options?: CallOptions]
  : Record<never, never> extends Inputs ? [options?: Inputs]
  : [options: Inputs];
