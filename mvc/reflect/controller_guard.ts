/**
 * The compile-time check of controllers: types only.
 *
 * At run time a method's declared argument types are gone, so `Handle` asks here whether what a method declares is
 * what it will receive: a path argument without a default value is a string, and a lone required argument is the
 * Context.
 *
 * @module
 */

import type { Context } from "../../src/context/context.ts";
import type { SourceOf } from "./input_type.ts";
import type { HasBy, RouteName } from "./route_name.ts";

/**
 * `unknown` for a controller that can be served as it is declared, and a sentence about its first fault otherwise.
 *
 * `Handle` takes `C & ControllerGuard<C>`: the sentence is not a controller, so the compiler prints it. A class with a
 * `BeforeActivation` may route any of its methods by hand, with types that the path says; `Handle` checks those when it
 * runs.
 */
export type ControllerGuard<C> = IsUnion<C> extends true
  ? "A union of controllers cannot be checked: pass one class or instance"
  : C extends new (...args: infer A) => infer I
    ? [] extends A ? Sentence<FaultsOf<I>> : "A controller's constructor gets no arguments: give them default values"
  : C extends abstract new (...args: never[]) => unknown
    ? "An abstract class has no instances: pass a class that extends it"
  : Sentence<FaultsOf<C>>;

/**
 * Reports whether a type is a union.
 *
 * @internal
 */
type IsUnion<C, All = C> = C extends unknown ? [All] extends [C] ? false : true : false;

/**
 * Without a fault nothing more is asked for.
 *
 * @internal
 */
type Sentence<F> = [F] extends [never] ? unknown : F;

/**
 * One sentence for each method that would receive what it does not declare.
 *
 * @internal
 */
type FaultsOf<T> =
  | HookFault<T, "BeginRequest", [ctx: Context], "the Context">
  | HookFault<T, "EndRequest", [ctx: Context], "the Context">
  | HookFault<T, "HandleError", [ctx: Context, error: Error], "the Context and an Error, in this order">
  | ContextFault<T>
  | MethodFaults<T>;

/** A sentence about a hook that cannot be called with what it receives. */
type HookFault<T, K extends string, Args extends readonly unknown[], Words extends string> = T extends
  { [P in K]: (...args: infer A) => unknown }
  ? ((...args: A) => void) extends ((...args: Args) => void) ? never : `${K} is called with ${Words}`
  : never;

/** A sentence about a field `Ctx` that cannot hold the Context. */
type ContextFault<T> = T extends { Ctx?: infer F }
  ? Context extends F ? never : "The field Ctx is filled with the Context: declare it as Ctx!: fw.Context"
  : never;

/** Methods of a class that routes by hand are checked when it is served. */
type MethodFaults<T> = T extends { BeforeActivation: unknown } ? never
  : { [K in keyof T & string]: K extends RouteName<K> ? FaultOf<K, T[K]> : never }[keyof T & string];

type FaultOf<K extends string, M> = M extends (...args: infer A) => unknown
  ? HasBy<K> extends true ? AreStrings<WithoutContext<RequiredOf<A>>> extends true ? NarrowFault<K, A>
    : `Method ${K} has a required argument that is not a string: give it a default value, 0 for an int, 0n for a long, false for a bool`
  : IsContext<RequiredOf<A>> extends true ? never
  : `Method ${K} has no By in its name, so its only required argument can be the Context`
  : never;

type NarrowFault<K extends string, A extends readonly unknown[]> = HasNarrow<Required<A>> extends true
  ? `Method ${K} has an argument of a literal type, which nothing checks in a path: declare it as string, number, bigint or boolean`
  : never;

type HasNarrow<A extends readonly unknown[]> = A extends readonly [infer First, ...infer Rest]
  ? [SourceOf<First>] extends [never] ? IsNarrow<Exclude<First, undefined>> extends true ? true : HasNarrow<Rest>
  : HasNarrow<Rest>
  : false;

/**
 * Reports whether a path could hold what the type does not: `"a" | "b"`, an enum, a branded text; typed inputs are
 * checked.
 */
type IsNarrow<P> = [P] extends [string | number | bigint | boolean] ? string extends P ? false
  : number extends P ? false
  : bigint extends P ? false
  : boolean extends P ? false
  : true
  : false;

/** The arguments before the first that may be left out. */
type RequiredOf<A extends readonly unknown[]> = A extends readonly [infer First, ...infer Rest]
  ? [First, ...RequiredOf<Rest>]
  : [];

/** The arguments after a first one that is the Context. */
type WithoutContext<A extends readonly unknown[]> = A extends readonly [infer First, ...infer Rest]
  ? Context extends First ? string extends First ? A : Rest : A
  : A;

type AreStrings<A extends readonly unknown[]> = A extends readonly [infer First, ...infer Rest]
  ? string extends First ? AreStrings<Rest> : false
  : true;

type IsContext<A extends readonly unknown[]> = A extends readonly [] ? true
  : A extends readonly [infer Only] ? Context extends Only ? true : false
  : false;
