/**
 * Types that derive a client's methods from a controller's.
 *
 * @module
 */

import type { Marked, SourceOf, Whole } from "../../../mvc/reflect/input_type.ts";
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
  readonly [K in keyof C as RouteName<K> | (K & Extra)]: C[K] extends AnyMethod & Method<infer A, infer R, infer _>
    ? Call<ArgumentsOf<A>, ValueOf<R>, ErrorOf<R>>
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
 * Any function. The compiler does not compare the parameters of other functions with it.
 *
 * @internal
 */
export type AnyMethod = (...args: never) => unknown;

/**
 * A pattern that infers the parameters and the return type of a function.
 *
 * A pattern is only known to be `unknown` after the inference, so that the compiler does not compare the type with it.
 * For every array and tuple that it compares, it creates more than 40 members.
 *
 * @typeParam _ An unused `infer`, which is unknown until the inference is complete.
 *
 * @internal
 */
export type Method<A, R, _> = _ & NonNullable<unknown> extends unknown ? unknown
  : A extends readonly unknown[] ? (...args: A) => R
  : never;

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
export type ArgumentsOf<A, Inputs = unknown, Path extends readonly unknown[] = [], Count extends number = 16> =
  A extends readonly [] ? [...Path, ...OptionsOf<Inputs>]
    : Count extends 0 ? OptionsOf<unknown>
    : A extends Last<infer Before, infer Item, infer _>
      ? IsPathArgument<Item> extends true
        ? A extends After<Before, infer Named, infer _>
          ? ArgumentsOf<Before, Inputs, Joined<{ readonly Items: Required<Named> }, Path>, Less[Count]>
        : never
      : ArgumentsOf<Before, Inputs & InputOf<Item>, Path, Less[Count]>
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
  : Kind extends "Body" ? undefined extends In ? { readonly Body?: In } : { readonly Body: In }
  : Record<never, never> extends In ? { readonly [Name in Kind]?: In }
  : { readonly [Name in Kind]: In }
  : unknown;

type OptionsOf<Inputs> = unknown extends Inputs ? [options?: CallOptions]
  : Record<never, never> extends Inputs ? [options?: Inputs & CallOptions]
  : [options: Inputs & CallOptions];
